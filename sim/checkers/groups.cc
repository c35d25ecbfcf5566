// Of pods too many in a group none that goes is older, by its creationTimestamp, than one of its shape that stays: when
// one that waits is deleted, and no user did it, no other of its shape that waits and was created in a later second is
// started; it goes, too, though perhaps a moment later. Within one second it is open who goes. And a pod
// that is deleted and can never run any more, evicted or not, is soon let go (where the network does its work).
#include <map>
#include <set>

#include "sim/checkers/list.h"
#include "sim/checkers/queue_facts.h"

namespace muster::sim {
namespace {

class Groups final : public Checker {
public:
    std::string_view name() const override { return "groups"; }

    // No finalizer can be removed while the server is down, so the time limit starts again.
    void on_boot(World& world) override {
        for (auto& [uid, lost] : lost_) lost.since = world.loop.uptime();
        younger_.clear();
    }

    void on_user_removal(World&, std::string_view uid) override { removed_by_users_.insert(std::string(uid)); }

    void on_change(World& world, const Change& change) override {
        if (decision_age_max(world) <= 3s && decides_in_one_life(world)) check_stuck(world);
        if (!change.is<Pod>()) return;
        follow_lost(world, change);
        follow_younger(world, change);
        follow_edits(world, change);
        if (!change.before) return;
        const Pod& before = *change.before_as<Pod>();
        const Pod* now = change.now_as<Pod>();
        if (is_deleting(before) || (now && !is_deleting(*now)) || !is_gated(before) || has_ended(before)) return;
        const Text group = group_name_of(before);
        if (group.empty() || removed_by_users_.contains(before.metadata.uid.str())) return;
        if (!goes_on(world, group) || was_edited(world, group)) return;
        for (const Pod* other : world.history.all<Pod>()) {
            if (!(group_name_of(*other) == group) || other->metadata.uid == before.metadata.uid) continue;
            if (!is_gated(*other) || is_deleting(*other) || has_ended(*other) || !same_ask(*other, before)) continue;
            if (before.metadata.creation_timestamp < other->metadata.creation_timestamp &&
                came_[other->metadata.uid] + decision_age_max(world) < world.loop.uptime())
                younger_.try_emplace(other->metadata.uid,
                                     Younger{world.loop.uptime(), group, other->metadata.name, before.metadata.name});
        }
    }

private:
    static constexpr Duration kLetGoWithin = 10s;
    static constexpr Duration kGoWithin = 60s;  // the controller may crash in between

    static bool goes_on(World& world, const Text& group) {
        const QueuedWork* work = find_work(world, group, {});
        return work && !work->metadata.deletion_timestamp && !has_condition(*work, "Finished");
    }

    // A pod comes to a group when it is created or when it joins the group later. An edit of the group's size or sets
    // changes which pods are in excess.
    void follow_edits(World& world, const Change& change) {
        const Pod* before = change.before_as<Pod>();
        const Pod* now = change.now_as<Pod>();
        if (!now) return;
        const Text group = group_name_of(*now);
        const bool comes = !before || !(group_name_of(*before) == group);
        if (comes) came_[now->metadata.uid] = world.loop.uptime();
        if (!before || group.empty()) return;
        const auto sets = [](const Pod& pod) {
            const Text* text = pod.metadata.annotations.find("kueue.x-k8s.io/pod-group-sets");
            return text ? *text : Text();
        };
        if (!comes && group_size_of(*before) == group_size_of(*now) && sets(*before) == sets(*now)) return;
        edited_[group] = world.loop.uptime();
        std::erase_if(younger_, [&](const auto& each) { return each.second.group == group; });
    }
    bool was_edited(const World& world, const Text& group) const {
        const auto edited = edited_.find(group);
        return edited != edited_.end() && edited->second + decision_age_max(world) > world.loop.uptime();
    }

    // Those that are too many are deleted side by side.
    void follow_younger(World& world, const Change& change) {
        const Pod* now = change.now_as<Pod>();
        const Text uid = now ? now->metadata.uid : change.before_as<Pod>()->metadata.uid;
        if (!now || is_deleting(*now) || has_ended(*now)) younger_.erase(uid);
        // In a group that begins again all is different.
        std::erase_if(younger_, [&](const auto& each) { return !goes_on(world, each.second.group); });
        for (const auto& [of, younger] : younger_)
            if ((of == uid && !is_gated(*now)) || younger.since + kGoWithin < world.loop.uptime())
                return world.fail(
                    name(), younger.older,
                    "is deleted as one too many, and " + younger.name.str() + ", which is younger, stays");
    }

    void follow_lost(World& world, const Change& change) {
        const Pod* now = change.now_as<Pod>();
        const Text& uid = now ? now->metadata.uid : change.before_as<Pod>()->metadata.uid;
        const Text* retriable = now ? now->metadata.annotations.find("kueue.x-k8s.io/retriable-in-group") : nullptr;
        const bool lost = now && is_deleting(*now) && is_held(*now) && !(retriable && *retriable == "false") &&
                          (now->status.phase == "Failed" || (now->spec.node_name.empty() && !has_ended(*now)));
        if (lost)
            lost_.try_emplace(uid, Lost{world.loop.uptime(), now->metadata.name});
        else
            lost_.erase(uid);
    }
    void check_stuck(World& world) {
        for (const auto& [uid, lost] : lost_)
            if (lost.since + kLetGoWithin < world.loop.uptime())
                world.fail(name(), lost.name, "is deleted and will never run, and queueing does not let it go");
    }

    static bool same_ask(const Pod& left, const Pod& right) {
        const auto cpu = [](const Pod& pod) {
            return pod.spec.containers[0].resources.requests.find("cpu")->milli_value();
        };
        return cpu(left) == cpu(right);
    }

    struct Lost {
        Duration since;
        Text name;
    };
    // One that waits, and an older one of its shape that was deleted.
    struct Younger {
        Duration since;
        Text group;
        Text name;
        Text older;
    };
    std::map<Text, Lost> lost_;        // by UID
    std::map<Text, Younger> younger_;  // by UID
    std::set<std::string> removed_by_users_;
    std::map<Text, Duration> came_;    // to its group, by UID
    std::map<Text, Duration> edited_;  // by the group's name
};

}  // namespace

std::unique_ptr<Checker> make_groups() { return std::make_unique<Groups>(); }

}  // namespace muster::sim
