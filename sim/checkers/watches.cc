// Watches from outside are ordered, gap-free and free of duplicates, and tell nothing that a crash can take back. The
// reference is a model of its own: what the journal wrote, group by group. Every key's newest state in a group must
// come to every watcher that began before; nothing may come that is not on disk; at rest each watcher's books are the
// durable state.
#include <map>
#include <utility>

#include "sim/checkers/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class Watches final : public Checker {
public:
    std::string_view name() const override { return "watches"; }

    void on_journal(World&, const std::vector<DurableChange>& changes, store::Revision revision) override {
        for (const DurableChange& change : changes) take(change.key.str(), change.revision, change.removed);
        durable_ = revision;
    }

    // What a crash left whole is on disk, too.
    void on_boot(World& world) override {
        const store::Revision back = world.server()->store().revision();
        if (std::exchange(lost_, false)) begins_at_ = back;
        if (back == durable_) return;
        std::map<std::string, store::Revision> there;
        for (const auto& [key, entry] : world.history.state()) {
            there[key] = entry.revision;
            const auto known = model_.find(key);
            if (known == model_.end() || known->second.revision != entry.revision) take(key, entry.revision, false);
        }
        for (const auto& [key, state] : model_)
            if (!state.removed && is_followed(key) && !there.contains(key)) unsure_.insert(key);
        durable_ = back;
    }

    // The model begins with what is left, and so must every watcher.
    void on_loss(World&) override {
        model_.clear();
        changes_.clear();
        unsure_.clear();
        for (auto& [watcher, book] : books_) book.is_of_the_past = true;
        lost_ = true;
    }

    void on_restore(World& world) override {
        on_loss(world);
        durable_ = 0;
        for (auto& [watcher, book] : books_) book.at = 0;
    }

    void on_listed(World& world, int watcher, const api::KindInfo& kind, const std::vector<Seen>& objects,
                   store::Revision revision) override {
        if (revision < begins_at_) return;  // an answer from before the loss, that comes late
        Book& book = books_[watcher];
        book.prefix = server::list_prefix(kind, "");
        book.objects.clear();
        if (revision < book.at) blame(world, watcher, "a list is older than what it saw before");
        if (revision > durable_) blame(world, watcher, "a list tells what is not on disk");
        book.at = revision;
        book.is_of_the_past = false;
        for (const Seen& object : objects) book.objects[object.key] = object.revision;
        check_against_model(world, watcher, book);
    }

    void on_seen(World& world, int watcher, const Seen& seen) override {
        if (seen.revision < begins_at_) return;
        Book& book = books_[watcher];
        if (book.is_of_the_past) blame(world, watcher, "it goes on though writes that it has seen are lost");
        if (seen.revision <= book.at)
            blame(world, watcher,
                  seen.key + " @" + std::to_string(seen.revision) + " comes after @" + std::to_string(book.at));
        if (seen.revision > durable_)
            blame(world, watcher, seen.key + " @" + std::to_string(seen.revision) + " is not on disk");
        // Whatever else the journal says became the newest in between was left out.
        for (auto change = changes_.upper_bound(book.at); change != changes_.end() && change->first < seen.revision;
             ++change)
            if (change->second.starts_with(book.prefix))
                blame(world, watcher,
                      change->second + " @" + std::to_string(change->first) + " was left out before @" +
                          std::to_string(seen.revision));
        book.at = seen.revision;
        if (seen.removed)
            book.objects.erase(seen.key);
        else
            book.objects[seen.key] = seen.revision;
    }

    void at_rest(World& world) override {
        for (const auto& [watcher, book] : books_)
            if (book.is_of_the_past) blame(world, watcher, "it has not listed since writes that it has seen are lost");
        for (const auto& [watcher, book] : books_) check_against_model(world, watcher, book);
    }

private:
    struct State {
        store::Revision revision;
        bool removed;
    };
    struct Book {
        std::string prefix;
        std::map<std::string, store::Revision> objects;
        store::Revision at = 0;
        bool is_of_the_past = false;  // it has seen what is lost, and must list
    };

    static bool is_followed(std::string_view key) {
        return key.starts_with("/batch/") || key.starts_with("/core/pods/") || key.starts_with("/core/nodes/");
    }
    void take(const std::string& key, store::Revision revision, bool removed) {
        model_[key] = {revision, removed};
        changes_[revision] = key;
        unsure_.erase(key);
    }
    void blame(World& world, int watcher, const std::string& what) {
        world.fail(name(), "watcher-" + std::to_string(watcher), what);
    }
    // The newest versions up to where the watcher is.
    void check_against_model(World& world, int watcher, const Book& book) {
        for (const auto& [key, revision] : book.objects) {
            const auto known = model_.find(key);
            if (known == model_.end() || unsure_.contains(key) || known->second.revision > book.at) continue;
            if (known->second.removed || known->second.revision != revision)
                blame(world, watcher, key + " @" + std::to_string(revision) + " is not what is on disk");
        }
        for (const auto& [key, state] : model_)
            if (!state.removed && state.revision <= book.at && key.starts_with(book.prefix) && !unsure_.contains(key) &&
                !book.objects.contains(key))
                blame(world, watcher, key + " @" + std::to_string(state.revision) + " is missing");
    }

    std::map<std::string, State> model_;
    std::map<store::Revision, std::string> changes_;
    std::set<std::string> unsure_;  // went in a group that only a crash made durable
    std::map<int, Book> books_;
    store::Revision durable_ = 0;
    bool lost_ = false;
    store::Revision begins_at_ = 0;  // since the last loss
};

}  // namespace

std::unique_ptr<Checker> make_watches() { return std::make_unique<Watches>(); }

}  // namespace muster::sim
