#include "host/resources/process_unit.h"

#include "base/json.h"
#include "host/resources/declared.h"

namespace berth::host::resources {
namespace {

/// A word as systemd reads it back: specifiers and variables undone, quoted where needed.
std::string unit_word(const std::string& word) {
  std::string text;
  bool quoted = word.empty();
  for (const char c : word) {
    if (c == '%' || c == '$') text += c;
    if (c == '"' || c == '\\') text += '\\';
    if (c == ' ' || c == '"' || c == '\'' || c == ';' || c == '\\') quoted = true;
    text += c;
  }
  return quoted ? "\"" + text + "\"" : text;
}

std::string joined(const Json& list) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : " ") + unit_word(item.get<std::string>());
  return text;
}

std::string stem_of(const std::string& unit) { return unit.substr(0, unit.rfind('.')); }

}  // namespace

std::string process_unit_text(const Json& declared, const std::string& engine_unit) {
  const auto stem = stem_of(text_of(declared, "unit"));
  const auto groups = declared.value("groups", Json::array());
  std::string text = "# Written by berth-host; a change is overwritten at its next apply.\n[Unit]\nDescription=berth: " + stem +
                     "\nAfter=network.target " + engine_unit + "\nStartLimitIntervalSec=0\n\n[Service]\nType=notify\n" +
                     "ExecStart=" + joined(declared.at("command")) + "\nExecReload=/bin/kill -HUP $MAINPID\n" +
                     "User=" + text_of(declared, "account") + "\n";
  if (!groups.empty()) text += "SupplementaryGroups=" + joined(groups) + "\n";
  text += "RuntimeDirectory=" + (stem.starts_with("berth-") ? std::string{"berth"} : stem) +
          "\nStateDirectory=" + stem + "\nStateDirectoryMode=0700\nUMask=0077\n";
  const auto credentials = declared.value("credentials", Json::object());
  for (const auto& [name, file] : credentials.items()) {
    text += "LoadCredential=" + name + ":" + file.get<std::string>() + "\n";
  }
  // ProtectProc=invisible is left out: it hides the processes whose use the holder is asked for.
  text += "NoNewPrivileges=yes\nProtectSystem=strict\nProtectHome=yes\nPrivateTmp=yes\n"
          "Restart=always\nRestartSec=1\nWatchdogSec=30\nTimeoutStartSec=60\n\n[Install]\nWantedBy=multi-user.target\n";
  return text;
}

}  // namespace berth::host::resources
