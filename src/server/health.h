// Paths that are about the server itself: health, and the list of paths.
#pragma once

#include <optional>

#include "server/negotiation/target.h"
#include "server/registry/kind_registry.h"
#include "server/rest/answer.h"

namespace muster::server {

// /healthz, /livez and /readyz, with ?verbose and ?exclude=; nothing for other paths. Any thread.
std::optional<Answer> answer_health(const Target& target, bool ready);
// /: every path there is.
Answer answer_paths(const KindRegistry& kinds);

}  // namespace muster::server
