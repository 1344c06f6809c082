#pragma once
#include "holder/client/engine_keys.h"

// The engine's file has one table of keys, which holder and host share.
namespace berth::host::resources {

using holder::client::check_engine_document;
using holder::client::engine_value;
using holder::client::EngineKey;
using holder::client::find_engine_key;
using holder::client::flag_name;
using holder::client::normal_registry;
using holder::client::Taken;

}  // namespace berth::host::resources
