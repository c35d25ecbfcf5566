// A store of API objects over a disk in memory, filled from YAML: what tests of the server's parts look at.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/codec/decode.h"
#include "os/testing/virtual_loop.h"
#include "server/kind_object/kind_object.h"
#include "store/store.h"
#include "store/testing/memory_journal.h"

namespace muster::server {

class KindStore {
public:
    explicit KindStore(store::StoreOptions options = {}) {
        store_ = store::Store::open(loop_, journal_, codec_, options).value();
    }

    store::Store& operator*() { return *store_; }
    store::Store* operator->() { return store_.get(); }
    os::VirtualLoop& loop() { return loop_; }

    // Creates the object, or puts it in the place of one of its name.
    template <class K>
    void put(K value) {
        const std::string key = key_of(value);
        auto draft = std::make_shared<TypedObject<K>>(std::move(value));
        if (store_->get(key)) {
            (void)store_->update(key, std::move(draft)).value();
        } else {
            (void)store_->create(key, std::move(draft)).value();
        }
    }
    template <class K>
    void put(std::string_view yaml) {
        put(api::from_yaml<K>(yaml).value());
    }
    template <class K>
    void remove(std::string_view namespace_, std::string_view name) {
        (void)store_->remove(object_key(api::kind_info<K>(), namespace_, name)).value();
    }
    // The object must be there; good until it changes.
    template <class K>
    const K& get(std::string_view namespace_, std::string_view name) const {
        const auto stored = store_->get(object_key(api::kind_info<K>(), namespace_, name));
        CHECK(stored.has_value(), name);
        return static_cast<const TypedObject<K>&>(*stored->object).value;
    }

private:
    template <class K>
    static std::string key_of(const K& value) {
        return object_key(api::kind_info<K>(), value.metadata.namespace_, value.metadata.name);
    }

    os::VirtualLoop loop_;
    store::MemoryDisk disk_;
    KindCodec codec_;
    os::VirtualWorker worker_{loop_};
    store::MemoryJournal journal_{loop_, worker_, disk_};
    std::unique_ptr<store::Store> store_;
};

}  // namespace muster::server
