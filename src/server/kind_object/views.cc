#include "server/kind_object/views.h"

#include "api/kinds/kueue/v1beta1_conversion.h"
#include "api/registry/kind_column.h"
#include "server/kind_object/event_views.h"

namespace muster::server {
namespace {

struct KindView {
    const api::KindInfo* stored;
    KindObjectPtr (*show)(const void* stored);
    std::shared_ptr<KindObject> (*store)(const void* draft);
};

// The functions to_stored() and from_stored() of all groups, to be chosen from by type.
using api::kueue::from_stored;
using api::kueue::to_stored;
using server::from_stored;
using server::to_stored;

template <class Seen, class Stored>
KindView converted() {
    return {&api::kind_info<Stored>(),
            [](const void* stored) -> KindObjectPtr {
                return std::make_shared<TypedObject<Seen>>(from_stored(*static_cast<const Stored*>(stored)));
            },
            [](const void* draft) -> std::shared_ptr<KindObject> {
                return std::make_shared<TypedObject<Stored>>(to_stored(*static_cast<const Seen*>(draft)));
            }};
}

// Versions that differ in their name alone: the one is derived from the other.
template <class Seen, class Stored>
KindView renamed() {
    return {&api::kind_info<Stored>(),
            [](const void* stored) -> KindObjectPtr {
                return std::make_shared<TypedObject<Seen>>(Seen{*static_cast<const Stored*>(stored)});
            },
            [](const void* draft) -> std::shared_ptr<KindObject> {
                return std::make_shared<TypedObject<Stored>>(*static_cast<const Seen*>(draft));
            }};
}

namespace queue = api::kueue;
namespace older = api::kueue::v1beta1;

// How each view is converted.
template <class K>
KindView view_of() = delete;
template <>
KindView view_of<api::events::Event>() {
    return converted<api::events::Event, api::core::Event>();
}
template <>
KindView view_of<older::AdmissionCheck>() {
    return converted<older::AdmissionCheck, queue::AdmissionCheck>();
}
template <>
KindView view_of<older::ClusterQueue>() {
    return converted<older::ClusterQueue, queue::ClusterQueue>();
}
template <>
KindView view_of<older::LocalQueue>() {
    return converted<older::LocalQueue, queue::LocalQueue>();
}
template <>
KindView view_of<older::Workload>() {
    return converted<older::Workload, queue::Workload>();
}
template <>
KindView view_of<older::Cohort>() {
    return renamed<older::Cohort, queue::Cohort>();
}
template <>
KindView view_of<older::ResourceFlavor>() {
    return renamed<older::ResourceFlavor, queue::ResourceFlavor>();
}
template <>
KindView view_of<older::WorkloadPriorityClass>() {
    return renamed<older::WorkloadPriorityClass, queue::WorkloadPriorityClass>();
}

const KindView* find_view(const api::KindInfo& kind) {
    static const api::KindColumn<KindView> column(api::ViewKinds{}, []<class K>() { return view_of<K>(); });
    return column.find(kind);
}

}  // namespace

const api::KindInfo& stored_kind(const api::KindInfo& kind) {
    const KindView* view = find_view(kind);
    return view ? *view->stored : kind;
}

KindObjectPtr as_kind(KindObjectPtr stored, const api::KindInfo& kind) {
    if (!stored || &stored->kind() == &kind) return stored;
    if (const KindView* view = find_view(kind)) return view->show(stored->data());
    return stored;
}

std::shared_ptr<KindObject> as_stored(std::shared_ptr<KindObject> draft) {
    if (const KindView* view = find_view(draft->kind())) return view->store(draft->data());
    return draft;
}

}  // namespace muster::server
