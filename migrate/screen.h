#pragma once
#include <string>

#include "migrate/migrate.h"

namespace berth::migrate {

std::string outcome_name(Outcome::Kind kind);
/// What an error makes of a run: refused by a rule, silent, or failed (its exit status says which).
Outcome::Kind kind_of(Errc code);
/// Of two: the same stays, done adds nothing, and two that differ are a failure.
Outcome::Kind together(Outcome::Kind one, Outcome::Kind other);

}  // namespace berth::migrate
