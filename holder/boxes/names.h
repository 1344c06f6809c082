#pragma once
#include <string>

#include "holder/boxes/runtime.h"

// What boxes and logins are called on every runtime, and what their objects bear.
namespace berth::holder::boxes {

inline constexpr const char* kBoxLabel = "boxes.box";
inline constexpr const char* kLoginLabel = "boxes.login";
/// Of the spec that the object was made from: a label, or where labels are short, an annotation.
inline constexpr const char* kSpecMark = "boxes.spec";

inline std::string box_name(const BoxId& box) { return "box-" + box.text(); }
inline std::string login_name(const LoginId& login) { return "login-" + login.text(); }

}  // namespace berth::holder::boxes
