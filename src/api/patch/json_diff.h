// The JSON patch (RFC 6902) between two documents: what a webhook answers with. It touches what differs and nothing
// else; lists that only grow are appended to, so that what others append stays.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace muster::api {

// A list of operations, empty when the documents are equal. Applied to `before` it gives `after`.
boost::json::array diff_json(const boost::json::value& before, const boost::json::value& after);

// `document` is an object as a client wrote it, `before` and `after` are trees of the typed object that was read from
// it and then changed. The patch for the document that makes the same changes, and leaves alone how the document spells
// everything else.
Result<boost::json::array> diff_document(const boost::json::value& document, const boost::json::value& before,
                                         const boost::json::value& after);

}  // namespace muster::api
