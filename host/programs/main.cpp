#include "host/programs/host_main.h"

// The one unit that differs between releases: what it names, the linker brings in.
int main(int argc, char** argv) {
  berth::host::path::Linked linked;
#ifdef BERTH_LINKS_CLI_PATH
  linked.cli = berth::host::path::make_cli_path;
#endif
#ifdef BERTH_LINKS_HOLDER_PATH
  linked.holder = berth::host::path::make_holder_path;
#endif
  return berth::host::host_main(argc, argv, {linked, BERTH_VERSION});
}
