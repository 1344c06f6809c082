#pragma once
#include <string>

#include "migrate/migrate.h"

namespace berth::migrate {

std::string outcome_name(Outcome::Kind kind);

}  // namespace berth::migrate
