// The verbs on stored objects: what GET, POST, PUT, PATCH and DELETE do to one of them. Synchronous, on the loop.
#pragma once

#include "server/objects/objects.h"
#include "server/rest/call.h"

namespace muster::server {

// kTimeout when the store has not given out that revision yet: it may come.
Result<> check_reached(const Objects& objects, store::Revision wanted);
// For how long clients expect to wait for it, and how often it is looked for.
inline constexpr Duration kVersionWait = 3s;
inline constexpr Duration kVersionPoll = 50ms;

// kTimeout as `check_reached`, for the version that the query asks for.
Result<Answer> get_object(const Objects& objects, const Call& call);
Result<Answer> create_object(Objects& objects, Call& call);
Result<Answer> update_object(Objects& objects, Call& call);
Result<Answer> patch_object(Objects& objects, Call& call);
Result<Answer> delete_object(Objects& objects, Call& call);

// The place that a call names.
Place place_of(const Call& call);
WriteOptions write_options(Call& call);

}  // namespace muster::server
