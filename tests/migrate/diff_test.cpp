#include "migrate/diff.h"

#include "catch.h"

using berth::migrate::unified_diff;

TEST_CASE("a difference is what diff -u prints, with context and hunks") {
  CHECK(unified_diff("a\n", "a\n", "f") == "");
  CHECK(unified_diff("", "a\n", "f") == "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n");
  CHECK(unified_diff("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "f") ==
        "--- f\n+++ f\n@@ -1,3 +1,4 @@\n {\n-  \"a\": 1\n+  \"a\": 1,\n+  \"b\": 2\n }\n");
  const std::string twenty = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n";
  std::string changed = twenty;
  changed.replace(0, 1, "x");
  changed.replace(changed.find("20"), 2, "y");
  CHECK(unified_diff(twenty, changed, "f") ==
        "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -17,4 +17,4 @@\n 17\n 18\n 19\n-20\n+y\n");
}

TEST_CASE("odd line ends and a missing last newline can be seen in a difference") {
  CHECK(unified_diff("{\r\n}", "{\r\n \"a\":1}", "f") ==
        "--- f\n+++ f\n@@ -1,2 +1,2 @@\n {␍\n-}\n\\ No newline at end of file\n+ \"a\":1}\n\\ No newline at "
        "end of file\n");
}
