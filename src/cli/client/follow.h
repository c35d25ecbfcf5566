// Waiting for an object to become what is wanted, by watching it: nothing is asked twice.
#pragma once

#include <functional>
#include <optional>

#include "cli/client/selection.h"

namespace muster::cli {

// Asked with the object whenever it changes, with null when it is not there. True: that is what was waited for. An
// error ends the wait.
using IsReached = std::function<Result<bool>(const boost::json::value* object)>;

// Waits until it is reached, or until the timeout (none: for ever) has passed: then kTimeout. Asks at once, too.
Result<void> follow_object(Session& session, const Selected& target, std::optional<Duration> timeout,
                           const IsReached& is_reached);

// "30s", "1h30m", "0". kBadRequest for what is no span of time; a negative one means a week, as in kubectl.
Result<Duration> parse_timeout(std::string_view text);

}  // namespace muster::cli
