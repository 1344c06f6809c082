#pragma once
// For sources only: a header says base/json_fwd.h, because this one costs seconds a unit.
#include <nlohmann/json.hpp>

#include "base/json_fwd.h"
