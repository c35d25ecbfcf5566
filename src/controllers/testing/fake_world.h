// A small cluster for the tests of controllers' shells: objects in memory under Kubernetes' rules for versions, UIDs,
// finalizers and deletion, behind the client that controllers know. Nothing is admitted, defaulted or validated. A test
// changes it as users and nodes would, makes calls fail, and reads what was called.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/codec/decode.h"
#include "client/client.h"
#include "os/testing/virtual_loop.h"

namespace muster::controllers {

class FakeWorld final : public client::Client {
public:
    explicit FakeWorld(os::VirtualLoop& on) : loop(on), changed_(on) {}

    // Creates or replaces the object as another client would. Sets its version, and its UID unless it has one.
    template <class K>
    void put(K object) {
        put_any(api::kind_info<K>(), std::make_shared<K>(std::move(object)));
    }
    template <class K>
    void put(std::string_view yaml) {
        put(api::from_yaml<K>(yaml).value());
    }
    // Null when it is not there.
    template <class K>
    client::Ref<K> find(std::string_view namespace_, std::string_view name) const {
        return std::static_pointer_cast<const K>(find_any(api::kind_info<K>(), namespace_, name));
    }
    template <class K>
    std::vector<client::Ref<K>> all() const {
        std::vector<client::Ref<K>> out;
        for (const auto& object : all_any(api::kind_info<K>()))
            out.push_back(std::static_pointer_cast<const K>(object));
        return out;
    }
    // It is gone at once, whatever holds it.
    template <class K>
    void erase(std::string_view namespace_, std::string_view name) {
        erase_any(api::kind_info<K>(), namespace_, name);
    }
    // As a user with kubectl would.
    template <class K>
    void remove_now(std::string_view namespace_, std::string_view name, client::Removal removal = client::Removal()) {
        CHECK(remove_at_once(api::kind_info<K>(), {namespace_, name}, removal).ok());
    }

    // The next calls that begin so fail: fail("remove jobs", …). See `calls`.
    void fail(std::string call, Code code, int times = 1) { failures_.push_back({std::move(call), code, times}); }
    // The next calls that begin so throw as for want of memory; "get workloads team/a" is one here, too.
    void break_calls(std::string call, int times = 1) { broken_.push_back({std::move(call), Code::kInternal, times}); }
    // The next calls that begin so do what they should, and then say that they failed.
    void lose_answer(std::string call, Code code, int times = 1) { lost_.push_back({std::move(call), code, times}); }
    // Updates of these kinds are on their way so long before they happen.
    std::map<const api::KindInfo*, Duration> slow;
    // Watches of that kind tell nothing until they may again; then all that happened since.
    template <class K>
    void hold_watches(bool hold) {
        held_[&api::kind_info<K>()] = hold;
        changed_.notify();
    }
    // The writes that were tried: "create jobs default/a", "status …", "remove pods default/p Background", "patch …".
    std::vector<std::string> calls;

    os::VirtualLoop& loop;

    os::Task<Result<client::AnyObject>> get_any(const api::KindInfo& kind, client::ObjectName name, View view) override;
    os::Task<Result<client::AnyListing>> list_any(const api::KindInfo& kind, std::string namespace_,
                                                  View view) override;
    os::Task<Result<std::unique_ptr<client::AnyWatch>>> watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                  std::string resource_version, View view) override;
    os::Task<Result<client::AnyObject>> patch_any(const api::KindInfo& kind, client::ObjectName name,
                                                  client::MetadataPatch patch, View view) override;
    os::Task<Result<void>> remove_any(const api::KindInfo& kind, client::ObjectName name,
                                      client::Removal removal) override;
    os::Task<Result<void>> bind(client::ObjectName pod, Text uid, Text node) override;
    os::Task<Result<client::AnyObject>> create_any(const api::KindInfo& kind, client::AnyObject draft) override;
    os::Task<Result<client::AnyObject>> change_any(const api::KindInfo& kind, client::AnyObject before,
                                                   client::AnyObject after, client::Part part) override;

private:
    friend class FakeWatch;
    struct Failure {
        std::string call;
        Code code;
        int times;
    };
    struct Happened {
        const api::KindInfo* kind;
        client::AnyEvent event;
    };
    using Key = std::pair<const api::KindInfo*, client::ObjectName>;
    using Held = std::shared_ptr<void>;

    void put_any(const api::KindInfo& kind, Held object);
    client::AnyObject find_any(const api::KindInfo& kind, std::string_view namespace_, std::string_view name) const;
    std::vector<client::AnyObject> all_any(const api::KindInfo& kind) const;
    void erase_any(const api::KindInfo& kind, std::string_view namespace_, std::string_view name);
    Result<void> remove_at_once(const api::KindInfo& kind, const client::ObjectName& name,
                                const client::Removal& removal);
    // Throws if that was ordered for the call.
    void check_broken(const std::string& call);
    // Notes the call, and fails if a failure was ordered for it.
    Result<void> called(std::string call);
    // What the caller hears of a write that has happened.
    Result<client::AnyObject> answered(const std::string& call, client::AnyObject object);
    // Stores the object under the next version. Removes it instead when it is being deleted and has no finalizers.
    client::AnyObject store(const api::KindInfo& kind, Held object);
    void tell(const api::KindInfo& kind, client::EventType type, client::AnyObject object);

    std::map<Key, Held> objects_;
    std::vector<Happened> history_;  // version n is at n-1
    std::vector<Failure> failures_;
    std::vector<Failure> lost_;
    std::vector<Failure> broken_;
    std::map<const api::KindInfo*, bool> held_;
    int uids_ = 0;
    int names_ = 0;  // that were generated
    os::Event changed_;
};

}  // namespace muster::controllers
