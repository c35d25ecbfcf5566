#include "server/access/rbac/role_index.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "api/value/quote.h"
#include "server/kind_object/kind_object.h"

namespace muster::server {
namespace {

using api::rbac::ClusterRole;
using api::rbac::ClusterRoleBinding;
using api::rbac::PolicyRule;
using api::rbac::Role;
using api::rbac::RoleBinding;
using api::rbac::RoleRef;
using api::rbac::Subject;

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <class V>
using ByName = std::unordered_map<std::string, V, TextHash, std::equal_to<>>;

template <class V>
const V* find_in(const ByName<V>& map, std::string_view name) {
    const auto found = map.find(name);
    return found == map.end() ? nullptr : &found->second;
}

// The place of a role, which bindings hold whether the role exists or not.
struct RoleSlot {
    bool exists = false;
    std::size_t bindings = 0;
    List<PolicyRule> rules{};
};

struct Binding {
    Text name;
    Text namespace_;
    RoleRef role;
    List<Subject> subjects;
    RoleSlot* slot;  // null: a kind of role that does not exist
};

// What one user or group is bound to: a binding, and by which of its subjects.
struct Holding {
    const Binding* binding;
    std::size_t subject;
};

struct Subjects {
    ByName<std::vector<Holding>> users;
    ByName<std::vector<Holding>> groups;
    bool empty() const { return users.empty() && groups.empty(); }
};

// The user or group name of a subject; empty for a subject that matches no user.
struct SubjectName {
    std::string name;
    bool is_group = false;
};
SubjectName name_of(const Subject& subject, std::string_view binding_namespace) {
    if (subject.kind == "User") return {subject.name.str()};
    if (subject.kind == "Group") return {subject.name.str(), true};
    if (!(subject.kind == "ServiceAccount")) return {};
    const std::string_view namespace_ = subject.namespace_.empty() ? binding_namespace : subject.namespace_.view();
    if (namespace_.empty()) return {};
    return {service_account_user_name(namespace_, subject.name)};
}

std::string role_place(std::string_view namespace_, std::string_view name) {
    std::string place(namespace_);
    return place.append("/").append(name);
}

std::string missing_role(const RoleRef& role, bool plural) {
    if (role.kind != std::string_view("Role") && role.kind != std::string_view("ClusterRole"))
        return "unsupported role reference kind: " + api::in_quotes(role.kind);
    std::string resource = role.kind == "Role" ? "role" : "clusterrole";
    if (plural) resource += 's';
    return resource + "." + api::rbac::kGroup + " " + api::in_quotes(role.name) + " not found";
}

// The bindings that a visit has met already: one that binds a user twice holds once. What has a single subject cannot
// be met twice, so there are few.
class Met {
public:
    bool add(const Binding* binding) {
        if (binding->subjects.size() < 2) return true;
        if (std::find(met_.begin(), met_.begin() + count_, binding) != met_.begin() + count_) return false;
        if (count_ < kMax) met_[static_cast<std::size_t>(count_++)] = binding;
        return true;
    }

private:
    static constexpr int kMax = 32;
    std::array<const Binding*, kMax> met_;
    int count_ = 0;
};

}  // namespace

// Invariant: every binding is listed under each of its subjects and refers to the slot of its role. A slot without a
// role and without bindings is removed.
struct RoleIndex::State {
    explicit State(store::Store& of) : store(of) { read_everything(); }

    store::Store& store;
    store::Revision newest = 0;                            // of the changes that made this
    std::array<std::unique_ptr<store::Watch>, 4> watches;  // of the kinds in the order of `apply`
    ByName<std::unique_ptr<RoleSlot>> roles;               // "namespace/name"; "/name" for cluster roles
    ByName<std::unique_ptr<Binding>> bindings;             // by the store's key
    Subjects everywhere;                                   // ClusterRoleBindings
    ByName<std::unique_ptr<Subjects>> in_namespace;        // RoleBindings

    void catch_up() {
        for (std::size_t kind = 0; kind < watches.size(); ++kind) {
            for (;;) {
                const Result<const store::Event*> next = watches[kind]->next();
                if (!next.ok()) return read_everything();
                if (!*next) break;
                newest = std::max(newest, (*next)->revision);
                apply(kind, (*next)->key, (*next)->object.get());
            }
        }
        store.note_seen(newest);
    }

    void read_everything() {
        roles.clear();
        bindings.clear();
        everywhere = {};
        in_namespace.clear();
        const api::KindInfo* const kinds[] = {&api::kind_info<ClusterRole>(), &api::kind_info<Role>(),
                                              &api::kind_info<ClusterRoleBinding>(), &api::kind_info<RoleBinding>()};
        for (std::size_t kind = 0; kind < watches.size(); ++kind) {
            const std::string prefix = list_prefix(*kinds[kind], "");
            const store::Listing listing = store.list(prefix).value();
            newest = std::max(newest, listing.revision);
            watches[kind] = store.watch(prefix, listing.revision, store::Visibility::kAtOnce).value();
            for (const store::Stored& stored : listing.items) apply(kind, stored.key, stored.object.get());
        }
    }

    template <class K>
    static const K* value_of(const store::Object* object) {
        return object ? &static_cast<const TypedObject<K>*>(object)->value : nullptr;
    }
    // Null when it was removed.
    void apply(std::size_t kind, std::string_view key, const store::Object* object) {
        if (kind == 0) return put_role(key, value_of<ClusterRole>(object), false);
        if (kind == 1) return put_role(key, value_of<Role>(object), true);
        remove_binding(key);
        if (!object) return;
        if (kind == 2) return add_binding(key, *value_of<ClusterRoleBinding>(object));
        add_binding(key, *value_of<RoleBinding>(object));
    }

    RoleSlot& slot_at(const std::string& place) {
        std::unique_ptr<RoleSlot>& slot = roles[place];
        if (!slot) slot = std::make_unique<RoleSlot>();
        return *slot;
    }
    // "namespace/name", "/name" for cluster roles; empty for a kind of role that does not exist.
    static std::string place_of(const RoleRef& role, std::string_view binding_namespace) {
        if (role.kind == "ClusterRole") return role_place("", role.name);
        if (role.kind == "Role" && !binding_namespace.empty()) return role_place(binding_namespace, role.name);
        return {};
    }
    void drop_if_unused(const std::string& place) {
        const auto found = roles.find(place);
        if (found != roles.end() && !found->second->exists && found->second->bindings == 0) roles.erase(found);
    }

    template <class K>
    void put_role(std::string_view key, const K* role, bool namespaced) {
        const std::size_t name_at = key.rfind('/') + 1;
        std::string_view namespace_;
        if (namespaced) {
            namespace_ = key.substr(0, name_at - 1);
            namespace_.remove_prefix(namespace_.rfind('/') + 1);
        }
        const std::string place = role_place(namespace_, key.substr(name_at));
        RoleSlot& slot = slot_at(place);
        slot.exists = role != nullptr;
        slot.rules = role ? role->rules : List<PolicyRule>();
        drop_if_unused(place);
    }

    template <class K>
    void add_binding(std::string_view key, const K& object) {
        const api::meta::ObjectMeta& metadata = object.metadata;
        const std::string place = place_of(object.role_ref, metadata.namespace_);
        auto binding = std::make_unique<Binding>(Binding{metadata.name, metadata.namespace_, object.role_ref,
                                                         object.subjects, place.empty() ? nullptr : &slot_at(place)});
        if (binding->slot) ++binding->slot->bindings;
        for (std::size_t i = 0; i < binding->subjects.size(); ++i) {
            const SubjectName subject = name_of(binding->subjects[i], binding->namespace_);
            if (subject.name.empty()) continue;
            Subjects& subjects = subjects_of(*binding);
            (subject.is_group ? subjects.groups : subjects.users)[subject.name].push_back({binding.get(), i});
        }
        bindings[std::string(key)] = std::move(binding);
    }

    void remove_binding(std::string_view key) {
        const auto found = bindings.find(key);
        if (found == bindings.end()) return;
        const std::unique_ptr<Binding> binding = std::move(found->second);
        bindings.erase(found);
        Subjects& subjects = subjects_of(*binding);
        for (const Subject& each : binding->subjects) {
            const SubjectName subject = name_of(each, binding->namespace_);
            auto& by_name = subject.is_group ? subjects.groups : subjects.users;
            const auto holdings = by_name.find(subject.name);
            if (holdings == by_name.end()) continue;
            std::erase_if(holdings->second, [&](const Holding& one) { return one.binding == binding.get(); });
            if (holdings->second.empty()) by_name.erase(holdings);
        }
        if (!binding->namespace_.empty() && subjects.empty()) in_namespace.erase(binding->namespace_.str());
        if (!binding->slot) return;
        --binding->slot->bindings;
        drop_if_unused(place_of(binding->role, binding->namespace_));
    }

    Subjects& subjects_of(const Binding& binding) {
        if (binding.namespace_.empty()) return everywhere;
        std::unique_ptr<Subjects>& local = in_namespace[binding.namespace_.str()];
        if (!local) local = std::make_unique<Subjects>();
        return *local;
    }
};

namespace {

// False when the visitor has seen enough.
bool visit_holdings(const std::vector<Holding>* holdings, Met& met, RuleVisitor& visitor) {
    if (!holdings) return true;
    for (const Holding& holding : *holdings) {
        const Binding& binding = *holding.binding;
        if (!met.add(&binding)) continue;
        if (!binding.slot || !binding.slot->exists) {
            visitor.on_missing_role(missing_role(binding.role, false));
            continue;
        }
        const Grant grant{binding.name, binding.namespace_, &binding.role, &binding.subjects[holding.subject]};
        for (const PolicyRule& rule : binding.slot->rules)
            if (!visitor.on_rule(grant, rule)) return false;
    }
    return true;
}

bool visit_subjects(const Subjects& subjects, const User& user, Met& met, RuleVisitor& visitor) {
    if (!visit_holdings(find_in(subjects.users, user.name), met, visitor)) return false;
    for (const std::string& group : user.groups)
        if (!visit_holdings(find_in(subjects.groups, group), met, visitor)) return false;
    return true;
}

}  // namespace

RoleIndex::RoleIndex(store::Store& store) : state_(std::make_unique<State>(store)) {}
RoleIndex::~RoleIndex() = default;

void RoleIndex::visit_rules(const User& user, std::string_view namespace_, RuleVisitor& visitor) const {
    state_->catch_up();
    Met met;
    if (!visit_subjects(state_->everywhere, user, met, visitor) || namespace_.empty()) return;
    if (const std::unique_ptr<Subjects>* local = find_in(state_->in_namespace, namespace_))
        visit_subjects(**local, user, met, visitor);
}

Result<List<PolicyRule>> RoleIndex::rules_of(const RoleRef& role, std::string_view binding_namespace) const {
    state_->catch_up();
    const std::unique_ptr<RoleSlot>* slot = find_in(state_->roles, State::place_of(role, binding_namespace));
    if (slot && (*slot)->exists) return (*slot)->rules;
    return Error{Code::kNotFound, missing_role(role, true)};
}

}  // namespace muster::server
