SELECT store, role FROM store_identity WHERE only = 1
