// What happened in the store, one change after the other, told to the checkers as soon as it is durable and never
// before: what a crash takes back has not happened. It follows the store's newest events and holds back those that are
// not on disk yet, so it sees every single version, also of a group that a crash left whole.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/world/parts.h"

namespace muster::sim {

class Server;

class History {
public:
    using OnChange = std::function<void(const Change& change)>;
    explicit History(OnChange on_change);

    // The server was opened. Says what is not as it must be: a durable object that is missing or another than it was.
    std::string open(Server& server);
    // The server has lost durable writes: the next state that it opens with is taken as it is.
    void lose();
    // What was not durable when the server died, after that revision, has not happened.
    void forget_after(store::Revision revision);
    // The same as lose(), and the server's revisions have gone back.
    void go_back();
    // A change that happened elsewhere, on a real cluster; null: the object is gone.
    void record(const api::KindInfo* kind, const std::string& key, store::Revision revision,
                server::KindObjectPtr object);
    // Reads what is new. To be called before the server dies, too.
    void look();
    void close();

    struct Entry {
        const api::KindInfo* kind;
        store::Revision revision;
        server::KindObjectPtr object;
    };
    // The durable state of the kinds that are followed, by key.
    const std::map<std::string, Entry>& state() const { return state_; }
    template <class K>
    std::vector<const K*> all() const {
        std::vector<const K*> out;
        for (const auto& [key, entry] : state_)
            if (entry.kind == &api::kind_info<K>()) out.push_back(&server::as<K>(*entry.object));
        return out;
    }
    store::Revision revision() const { return told_; }
    std::uint64_t changes() const { return changes_; }

private:
    struct Waiting {
        const api::KindInfo* kind;
        store::Event event;
    };
    void tell(const Waiting& waiting);
    void tell(const Change& change);
    void tell_up_to(store::Revision revision);

    OnChange on_change_;
    Server* server_ = nullptr;
    std::vector<std::pair<const api::KindInfo*, std::unique_ptr<store::Watch>>> watches_;
    std::deque<Waiting> waiting_;
    std::map<std::string, Entry> state_;
    store::Revision read_ = 0;
    store::Revision told_ = 0;
    std::uint64_t changes_ = 0;
    bool taken_as_it_is_ = true;  // by the next opening
};

}  // namespace muster::sim
