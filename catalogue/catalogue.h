#pragma once
// The catalogue's whole face: what a fleet should be, and the documents that make it so. Everything works on
// the operator's store inside its transactions; one thread at a time; after a refusal nothing has changed.
#include "catalogue/compose.h"
#include "catalogue/facts.h"
#include "catalogue/grants.h"
#include "catalogue/issue.h"
#include "catalogue/records.h"
#include "catalogue/seats.h"
