// Lists: what of the store's state a client sees, and where it goes on. Only the taking of a snapshot happens on the
// loop; selecting and encoding happen where the answer is carried.
#pragma once

#include "os/loop/task.h"
#include "server/objects/objects.h"
#include "server/rest/call.h"

namespace muster::server {

// kTimeout: the version asked for has not come yet; worth another try a little later.
Result<Answer> list_objects(const Objects& objects, const Call& call);
// Deletes the objects that the list would show, and answers with them. Yields regularly (`os::Breath`), as there may be
// many; an object that was recreated meanwhile stays. Both references must outlive the task.
os::Task<Result<Answer>> delete_collection(Objects& objects, Call& call, Duration until = Duration::max());
// The list of a resource that never has any objects.
Answer empty_list(const Objects& objects, const Call& call);

// Does the object belong into this list or watch?
bool is_selected(const KindObject& object, const ListQuery& list);

}  // namespace muster::server
