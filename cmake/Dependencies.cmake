# Every outside library, under the name our link lines use. Debian 12 (bookworm) and 13 (trixie).
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(SQLite3 REQUIRED)            # before SQLiteCpp: its config names SQLite::SQLite3 and never finds it
find_package(SQLiteCpp REQUIRED)          # target SQLiteCpp (static, system sqlite)
find_package(CURL REQUIRED)               # CURL::libcurl (CMake's module; Debian ships no CURLConfig.cmake)
find_package(nlohmann_json REQUIRED)
find_package(spdlog REQUIRED)             # spdlog::spdlog (shared, external fmt)
find_package(CLI11 REQUIRED)
find_package(simdjson REQUIRED)
pkg_check_modules(systemd REQUIRED IMPORTED_TARGET libsystemd)
# not find_package(cnats): its config wants libnats_static.a (absent on 12) and libprotobuf-c.so / libsodium.so
pkg_check_modules(nats REQUIRED IMPORTED_TARGET libnats)
add_library(dep::nats ALIAS PkgConfig::nats)

find_package(Boost 1.74 CONFIG REQUIRED)  # headers only: Beast, Asio; CONFIG: the FindBoost module is gone (CMP0167)
add_library(dep_beast INTERFACE)
target_link_libraries(dep_beast INTERFACE Boost::headers Threads::Threads)
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
  # Asio's fences are nothing this sanitizer follows; what it shares between threads is under a mutex besides.
  target_compile_options(dep_beast INTERFACE -Wno-tsan)
endif()
add_library(dep::beast ALIAS dep_beast)

find_package(Catch2 REQUIRED)             # v2 on 12, v3 on 13
add_library(dep_catch_main INTERFACE)
target_link_libraries(dep_catch_main INTERFACE Catch2::Catch2WithMain)
target_include_directories(dep_catch_main INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/tests/support)
add_library(dep::catch_main ALIAS dep_catch_main)
find_package(OpenSSL REQUIRED)            # OpenSSL::Crypto: sha256, Ed25519; OpenSSL::SSL: Kubernetes exec
find_package(yaml-cpp REQUIRED)           # kubeconfigs
