#include "server/kind_object/packed_object.h"

#include <gtest/gtest.h>

#include <thread>

#include "api/kinds/core/event.h"
#include "api/schema/walk.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace packed_object_test {

using api::core::Event;
using EventObject = TypedObject<Event>;

constexpr std::string_view kEvent = R"(
metadata: {name: pi.1, namespace: ns, uid: 0a3c, resourceVersion: '7', labels: {app: x},
           managedFields: [{manager: me, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {f:a: {}}}]}
involvedObject: {kind: Job, namespace: ns, name: pi, uid: 81f2, apiVersion: batch/v1}
reason: SuccessfulCreate
message: 'Created pod: pi-x7k2p'
source: {component: job-controller}
firstTimestamp: '2024-01-02T12:00:00Z'
count: 3
type: Normal
)";

std::shared_ptr<const EventObject> some_event() {
    return std::make_shared<EventObject>(api::from_yaml<Event>(kEvent).value());
}
const Event& event_of(const store::ObjectPtr& object) { return as<Event>(*object); }
bool is_packed(const store::ObjectPtr& object) { return dynamic_cast<const PackedObject*>(object.get()) != nullptr; }

TEST(PackedObject, OpenedAgainItIsTheSame) {
    const auto event = some_event();
    ASSERT_TRUE(event->packs());
    const store::ObjectPtr packed = event->packed();
    const store::ObjectPtr opened = packed->opened();
    EXPECT_EQ(api::diff(event_of(opened), event->value), "");
    EXPECT_EQ(opened->uid(), "0a3c");
    EXPECT_EQ(EventObject(event->value).difference_from(*opened), store::Difference::kNone);
    EXPECT_LT(2 * dynamic_cast<const PackedObject&>(*packed).bytes(), event->weight(nullptr)) << "what is saved";
}

TEST(PackedObject, HoldsTheBlocksThatAreParts) {
    auto event = some_event();
    const void* block = event->value.metadata.managed_fields.shared().identity();
    const store::ObjectPtr packed = event->packed();
    event.reset();
    EXPECT_EQ(event_of(packed->opened()).metadata.managed_fields.shared().identity(), block)
        << "the part would be taken for one that no object needs, and removed from the disk";
}

// Numbers parts as a journal that has written six others.
struct SeventhPart final : store::RecordWriter {
    std::uint64_t part(const SharedBlock&, void (*)(const void*, std::string&), const void*) override {
        return 7 + parts++;
    }
    std::uint64_t parts = 0;
};

TEST(PackedObject, HasTheRecordOfTheObjectThatWasPacked) {
    EventObject plain(some_event()->value);
    plain.value.metadata.managed_fields = {};
    const auto with_parts = some_event();
    for (const EventObject* event : {with_parts.get(), static_cast<const EventObject*>(&plain)}) {
        SeventhPart expected;
        event->encode_own(expected);
        SeventhPart written;
        const store::ObjectPtr packed = event->packed();
        packed->encode_own(written);
        packed->encode_status(written);
        EXPECT_EQ(written.bytes, expected.bytes);
        EXPECT_EQ(written.parts, expected.parts);
    }
}

TEST(PackedObject, IsWrittenWithoutBeingDecodedForGood) {
    EventObject plain(some_event()->value);
    plain.value.metadata.managed_fields = {};
    const auto with_parts = some_event();
    for (const EventObject* event : {with_parts.get(), static_cast<const EventObject*>(&plain)}) {
        const store::ObjectPtr packed = event->packed();
        SeventhPart written;
        packed->encode_own(written);
        packed->encode_status(written);
        (void)packed->weight(nullptr);
        EXPECT_FALSE(dynamic_cast<const PackedObject&>(*packed).is_decoded())
            << "the store keeps it, and the decoded form with it";
    }
}

TEST(PackedObject, IsReadByManyThreadsAtOnce) {
    const store::ObjectPtr opened = some_event()->packed()->opened();
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; ++i)
        readers.emplace_back([&] { EXPECT_EQ(event_of(opened).reason.view(), "SuccessfulCreate"); });
    for (std::thread& reader : readers) reader.join();
}

TEST(PackedObject, OnlyEventsArePacked) {
    EXPECT_TRUE(EventObject().packs());
    EXPECT_FALSE(TypedObject<api::core::Namespace>().packs());
}

// The store.

struct PackedStoreTest : testing::Test {
    ApiObjects api{{.history_events_max = 1}};
    const std::string prefix = list_prefix(api::kind_info<Event>(), "");

    void create(const std::string& name) {
        (void)api.try_create<Event>("{metadata: {name: " + name + "}, involvedObject: {namespace: ns}, message: m-" +
                                    name + "}");
    }
    // So many that the history has forgotten what was before.
    void fill() {
        for (int i = 0; i < 300; ++i) create("fill-" + std::to_string(filled_++));
        api.settle();
    }
    store::ObjectPtr stored(const std::string& name) {
        const auto found = api.store->get(prefix + "ns/" + name);
        return found ? found->object : nullptr;
    }

private:
    int filled_ = 0;
};

TEST_F(PackedStoreTest, AnEventIsPackedWhenItIsWrittenAndReadAsBefore) {
    create("a");
    fill();
    const auto object = stored("a");
    EXPECT_TRUE(is_packed(object));
    EXPECT_EQ(event_of(object).message.view(), "m-a");
    EXPECT_NE(stored("a").get(), object.get()) << "what a reader has decoded is not kept";
    const auto listing = api.store->list(prefix).value();
    EXPECT_EQ(listing.items.size(), 301u);
    for (const store::Stored& item : listing.items)
        EXPECT_EQ(event_of(item.object).message.str(), "m-" + event_of(item.object).metadata.name);
}

TEST_F(PackedStoreTest, WhatAWatchDecodesGoesWithTheHistory) {
    auto watch = api.store->watch(prefix, api.store->revision(), store::Visibility::kAtOnce).value();
    auto other = api.store->watch(prefix, api.store->revision(), store::Visibility::kAtOnce).value();
    create("a");
    const std::weak_ptr<const store::Object> watched = watch->next().value()->object;
    EXPECT_EQ(event_of(watched.lock()).message.view(), "m-a");
    EXPECT_EQ(other->next().value()->object, watched.lock()) << "it is decoded once for all watches";
    watch.reset();
    other.reset();
    EXPECT_FALSE(watched.expired());
    fill();
    EXPECT_TRUE(watched.expired());
    EXPECT_EQ(event_of(stored("a")).message.view(), "m-a");
}

TEST_F(PackedStoreTest, APackedEventIsUpdatedAndRemoved) {
    create("a");
    create("b");
    fill();
    const auto watch = api.store->watch(prefix, api.store->revision(), store::Visibility::kAtOnce).value();
    const auto same = api.update<Event>("a", [](Event&) {}).value();
    EXPECT_EQ(event_of(same.object).message.view(), "m-a");
    EXPECT_EQ(watch->next().value(), nullptr) << "nothing has changed";
    ASSERT_TRUE(api.update<Event>("a", [](Event& event) { event.count = 2; }).ok());
    EXPECT_TRUE(is_packed(stored("a")));
    const store::Event* event = watch->next().value();
    EXPECT_EQ(event_of(event->previous).count, 0);
    EXPECT_EQ(event_of(event->object).count, 2);
    ASSERT_TRUE(api.remove<Event>("b").ok());
    EXPECT_EQ(event_of(watch->next().value()->previous).message.view(), "m-b");
    fill();
    EXPECT_TRUE(is_packed(stored("a")));
    EXPECT_EQ(event_of(stored("a")).count, 2);
    EXPECT_FALSE(stored("b"));
}

TEST_F(PackedStoreTest, ItIsPackedFromTheBeginningWhenTheStoreIsOpenedAgain) {
    (void)api.try_create<Event>(kEvent);
    api.settle();
    os::VirtualWorker worker(api.loop, 1, 0ns, 0ns);
    store::MemoryJournal journal(api.loop, worker, api.disk);
    KindCodec codec;
    const auto again = store::Store::open(api.loop, journal, codec, {}).value();
    const auto object = again->get(prefix + "ns/pi.1")->object;
    EXPECT_TRUE(is_packed(object));
    EXPECT_EQ(api::diff(event_of(object), event_of(stored("pi.1"))), "");
}

}  // namespace packed_object_test
}  // namespace muster::server
