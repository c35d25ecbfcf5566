// Defaults of a pod's containers and volumes, for default_pod and default_pod_template. Each leaves what it does not
// change shared.
#pragma once

#include "api/kinds/core/pod.h"

namespace muster::api {

void default_containers(List<core::Container>& containers);
void default_ephemeral_containers(List<core::EphemeralContainer>& containers);
void default_volumes(List<core::Volume>& volumes);
// Amounts finer than a thousandth are rounded up.
void round_resources(Map<Quantity>& resources);

// Applies `change` to a copy of each element and keeps the copies that came out different.
template <class T, class Change>
void change_each(List<T>& list, Change change) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        T copy = list[i];
        change(copy);
        if (!(copy == list[i])) list.edit()[i] = std::move(copy);
    }
}

// The same for an optional part.
template <class T, class Change>
void change_box(Box<T>& box, Change change) {
    if (!box) return;
    T copy = *box;
    change(copy);
    if (!(copy == *box)) box.edit() = std::move(copy);
}

}  // namespace muster::api
