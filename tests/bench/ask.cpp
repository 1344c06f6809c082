#include <iostream>

#include "base/json.h"
#include "holder/client/client.h"

// berth-bench-ask SOCKET VERB CONTAINER: what a shell's one question costs.
int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const berth::holder::client::HolderClient client{argv[1]};
  const auto answer = client.call(argv[2], {{"container", argv[3]}});
  if (!answer) return 1;
  std::cout << *answer << "\n";
  return 0;
}
