#include "server/kind_object/raw_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "api/kinds/core/config.h"
#include "api/text/wire.h"
#include "os/testing/virtual_loop.h"
#include "server/kind_object/unreadable_object.h"
#include "server/testing/widgets.h"
#include "store/rocksdb/rocksdb_journal.h"
#include "store/store.h"
#include "store/testing/memory_journal.h"

namespace muster::server {
namespace raw_object_test {

using api::DefinedObject;
using api::core::ConfigMap;
using api::meta::OwnerReference;
using testing::ElementsAre;

const api::KindInfo& widgets() { return api::kind_info_of(kWidgetKind); }

std::string widget_key(std::string_view name) { return object_key(widgets(), "ns", name); }
std::string map_key(std::string_view name) { return object_key(api::kind_info<ConfigMap>(), "ns", name); }

List<OwnerReference> owners(const char* name) {
    OwnerReference owner;
    owner.name = name;
    owner.uid = "uid";
    return {owner};
}

// One run of a process over a disk that outlives it.
class Process {
public:
    Process(store::MemoryDisk& disk, KindRegistry::Ptr registry)
        : kinds(std::make_shared<Kinds>(std::move(registry))), codec_(kinds), journal_(loop_, worker_, disk) {
        store = store::Store::open(loop_, journal_, codec_, {}).value();
    }

    void create_widget(std::string_view name, List<OwnerReference> owned_by) {
        DefinedObject value;
        value.metadata.name = name;
        value.metadata.owner_references = std::move(owned_by);
        value.content.set("spec", {"{}"});
        (void)store->create(widget_key(name), std::make_shared<TypedObject<DefinedObject>>(widgets(), value)).value();
    }
    void create_map(std::string_view name, List<OwnerReference> owned_by) {
        ConfigMap value;
        value.metadata.name = name;
        value.metadata.owner_references = std::move(owned_by);
        (void)store->create(map_key(name), std::make_shared<TypedObject<ConfigMap>>(value)).value();
    }
    // Writes so many groups that every part without a holder is deleted; the history forgets what was before.
    void write_on() {
        settle();
        loop_.run_for(1h);
        for (int i = 0; i < 5; ++i) {
            create_map("later", {});
            settle();
            (void)store->remove(map_key("later")).value();
            settle();
        }
    }
    void settle() {
        CHECK(loop_.run_until([&] { return store->durable_revision() == store->revision(); }));
    }
    const DefinedObject* widget(std::string_view name) {
        read_ = store->get(widget_key(name)).value().object;
        return &as<DefinedObject>(*read_);
    }

    const std::shared_ptr<Kinds> kinds;

private:
    os::VirtualLoop loop_;
    os::VirtualWorker worker_{loop_};
    KindCodec codec_;
    store::MemoryJournal journal_;
    store::ObjectPtr read_;

public:
    std::unique_ptr<store::Store> store;
};

std::string message(const std::function<void(std::string&)>& fill) {
    std::string bytes;
    fill(bytes);
    return bytes;
}
void add_part(std::uint32_t field, std::uint64_t number, std::string& out) {
    api::append_tag(field, api::Wire::kPart, out);
    api::append_varint(number, out);
}

TEST(FindPartNumbers, AreFoundAtAnyDepthOfAnyType) {
    const std::string inner = message([](std::string& out) {
        api::append_field(1, std::string_view("a text"), out);
        add_part(13, 300, out);
    });
    const std::string outer = message([&](std::string& out) {
        api::append_field(1, inner, out);
        add_part(2, 7, out);
        api::append_field(3, std::uint64_t{9}, out);
        api::append_field(4, std::string_view("\xff\xff\xff"), out);
    });
    EXPECT_THAT(find_part_numbers(outer), ElementsAre(300, 7));
    EXPECT_THAT(find_part_numbers(""), ElementsAre());
    EXPECT_THAT(find_part_numbers("\xff"), ElementsAre()) << "no message";
    std::string deep;
    for (int i = 0; i < 1000; ++i) deep = message([&](std::string& out) { api::append_field(1, deep, out); });
    EXPECT_THAT(find_part_numbers(deep), ElementsAre());
}

TEST(RawObject, HoldsThePartsThatItsBytesName) {
    store::MemoryDisk disk;
    {
        Process run(disk, with_widgets());
        const List<OwnerReference> both = owners("both");
        run.create_widget("alone", owners("alone"));
        run.create_widget("with-another", both);
        run.create_widget("and-another", both);
        const List<OwnerReference> with_map = owners("with-map");
        run.create_map("m", with_map);
        run.create_widget("with-map", with_map);
        run.settle();
        EXPECT_EQ(disk.parts.size(), 3u);
    }
    for (int restarts = 0; restarts < 2; ++restarts) {
        Process run(disk, KindRegistry::declared());
        if (restarts == 0) (void)run.store->remove(map_key("m")).value();
        run.write_on();
        EXPECT_EQ(disk.parts.size(), 3u);
    }
    Process run(disk, with_widgets());
    EXPECT_EQ(run.widget("alone")->metadata.owner_references, owners("alone"));
    EXPECT_EQ(run.widget("with-another")->metadata.owner_references, owners("both"));
    EXPECT_EQ(run.widget("and-another")->metadata.owner_references, owners("both"));
    EXPECT_EQ(run.widget("with-map")->metadata.owner_references, owners("with-map"));
}

TEST(RawObject, IsReadableAsSoonAsItsKindIsInTheRegistry) {
    store::MemoryDisk disk;
    {
        Process run(disk, with_widgets());
        const List<OwnerReference> shared = owners("shared");
        run.create_widget("a", shared);
        run.create_widget("b", shared);
        run.create_map("m", shared);
        run.settle();
    }
    Process run(disk, KindRegistry::declared());
    run.kinds->replace(with_widgets());
    for (const char* name : {"a", "b"}) {
        const DefinedObject& widget = *run.widget(name);
        EXPECT_EQ(widget.metadata.owner_references, owners("shared"));
        EXPECT_EQ(widget.metadata.resource_version, name == std::string_view("a") ? "1" : "2");
        EXPECT_EQ(widget.content.find("spec")->json, "{}");
    }
    EXPECT_EQ(run.store->list(list_prefix(widgets(), "ns")).value().items.size(), 2u);
}

TEST(RawObject, IsWrittenWholeByItsFirstChange) {
    store::MemoryDisk disk;
    {
        Process run(disk, with_widgets());
        run.create_widget("w", owners("o"));
        run.settle();
    }
    {
        Process run(disk, KindRegistry::declared());
        run.kinds->replace(with_widgets());
        auto draft = std::make_shared<TypedObject<DefinedObject>>(widgets(), *run.widget("w"));
        draft->value.status = {R"({"n":1})"};
        (void)run.store->update(widget_key("w"), std::move(draft)).value();
        run.write_on();
    }
    Process run(disk, with_widgets());
    EXPECT_EQ(run.widget("w")->metadata.owner_references, owners("o"));
    EXPECT_EQ(run.widget("w")->status.json, R"({"n":1})");
}

TEST(RawObject, ReleasesItsPartsWhenItIsRemoved) {
    store::MemoryDisk disk;
    {
        Process run(disk, with_widgets());
        run.create_widget("w", owners("o"));
        run.settle();
    }
    Process run(disk, KindRegistry::declared());
    (void)run.store->remove(widget_key("w")).value();
    run.write_on();
    EXPECT_EQ(disk.parts.size(), 0u);
}

// An object whose bytes are no widget.
void create_bad_widget(Process& run, std::string_view name) {
    const std::string key = widget_key(name);
    (void)run.store->create(key, std::make_shared<RawObject>(run.kinds, key, 0, "\xff", RawObject::Parts{})).value();
    run.settle();
}

TEST(RawObject, IsUnreadableWhenItsBytesAreNoObjectOfItsKind) {
    store::MemoryDisk disk;
    {
        Process run(disk, with_widgets());
        create_bad_widget(run, "bad");
    }
    // Its kind is known when the store is opened, or later, or not at all.
    for (const bool later : {false, true}) {
        Process run(disk, later ? KindRegistry::declared() : with_widgets());
        if (later) run.kinds->replace(with_widgets());
        const store::Stored stored = run.store->get(widget_key("bad")).value();
        const auto& object = static_cast<const KindObject&>(*stored.object);
        ASSERT_NE(object.unreadable(), nullptr);
        EXPECT_EQ(object.unreadable()->code, Code::kCorrupt);
        EXPECT_THAT(object.unreadable()->message, testing::HasSubstr("\"/example.dev/widgets/ns/bad\" cannot be read"));
        EXPECT_EQ(&object.kind(), &widgets());
        EXPECT_EQ(object.metadata().namespace_, "ns");
        EXPECT_EQ(object.metadata().name, "bad");
        EXPECT_EQ(object.metadata().resource_version, "1");
    }
    Process run(disk, KindRegistry::declared());
    const store::Stored stored = run.store->get(widget_key("bad")).value();
    const Error* problem = static_cast<const KindObject&>(*stored.object).unreadable();
    ASSERT_NE(problem, nullptr);
    EXPECT_THAT(problem->message, testing::HasSubstr("its kind is not defined"));
}

TEST(RawObject, ThatIsUnreadableCanBeRemovedAndLeavesOthersReadable) {
    store::MemoryDisk disk;
    {
        Process run(disk, with_widgets());
        run.create_widget("good", owners("o"));
        create_bad_widget(run, "bad");
    }
    {
        Process run(disk, with_widgets());
        EXPECT_EQ(run.widget("good")->metadata.owner_references, owners("o"));
        EXPECT_FALSE(check_readable(widgets(), run.store->list(list_prefix(widgets(), "ns")).value()).ok());
        (void)run.store->remove(widget_key("bad")).value();
        EXPECT_TRUE(check_readable(widgets(), run.store->list(list_prefix(widgets(), "ns")).value()).ok());
        run.settle();
    }
    Process run(disk, with_widgets());
    EXPECT_FALSE(run.store->get(widget_key("bad")).has_value());
    EXPECT_EQ(run.widget("good")->metadata.owner_references, owners("o"));
}

// A store in a directory, opened by a server that knows these kinds.
struct OnDisk {
    OnDisk(const std::string& directory, KindRegistry::Ptr registry)
        : codec(std::make_shared<const Kinds>(std::move(registry))),
          journal(store::RocksdbJournal::open(loop, std::make_unique<os::VirtualWorker>(loop), directory).value()),
          store(store::Store::open(loop, *journal, codec).value()) {}
    void settle() {
        CHECK(loop.run_until([&] { return store->durable_revision() == store->revision(); }));
        loop.run_for(1s);
    }

    os::VirtualLoop loop;
    KindCodec codec;
    std::unique_ptr<store::RocksdbJournal> journal;
    std::unique_ptr<store::Store> store;
};

TEST(RawObject, IsPartOfABackup) {
    const std::string base = testing::TempDir() + "muster-raw-" + std::to_string(::getpid());
    std::filesystem::remove_all(base);
    std::filesystem::create_directories(base);
    DefinedObject value;
    value.metadata.name = "w";
    value.metadata.owner_references = owners("o");
    {
        OnDisk disk(base + "/data", with_widgets());
        (void)disk.store->create(widget_key("w"), std::make_shared<TypedObject<DefinedObject>>(widgets(), value))
            .value();
        disk.settle();
        value.status = {"1"};
        (void)disk.store->update(widget_key("w"), std::make_shared<TypedObject<DefinedObject>>(widgets(), value))
            .value();
        disk.settle();
    }
    {
        OnDisk disk(base + "/data", KindRegistry::declared());
        (void)disk.store->create(map_key("m"), std::make_shared<TypedObject<ConfigMap>>()).value();
        disk.settle();
        ASSERT_TRUE(disk.loop.run(disk.journal->backup(base + "/backup")).ok());
    }
    for (const char* directory : {"/data", "/backup"}) {
        OnDisk disk(base + directory, with_widgets());
        const store::ObjectPtr stored = disk.store->get(widget_key("w")).value().object;
        EXPECT_EQ(as<DefinedObject>(*stored).metadata.owner_references, owners("o")) << directory;
        EXPECT_EQ(as<DefinedObject>(*stored).status.json, "1") << directory;
    }
    std::filesystem::remove_all(base);
}

}  // namespace raw_object_test
}  // namespace muster::server
