#include "server/rest/streams/watch_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/codec/envelope.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/events.h"
#include "api/text/wire.h"

namespace muster::server {
namespace watch_event_test {

using api::core::ConfigMap;
using api::core::Pod;
using testing::HasSubstr;

const api::KindInfo& kPods = api::kind_info<Pod>();

template <class K>
store::ObjectPtr stored(const char* yaml) {
    return std::make_shared<TypedObject<K>>(api::from_yaml<K>(yaml).value());
}

ListQuery selecting(std::string_view query, const api::KindInfo& kind = kPods) {
    return parse_list_query(parse_query(query).value(), kind, true).value();
}

constexpr const char* kIn = "{metadata: {name: p, resourceVersion: '5', labels: {a: b}}, spec: {nodeName: x}}";
constexpr const char* kOut = "{metadata: {name: p, resourceVersion: '6', labels: {a: c}}, spec: {nodeName: z}}";

TEST(VisibleEvent, FollowsWhatASelectorSees) {
    struct Case {
        const char* name;
        store::EventType type;
        const char* before;
        const char* now;
        const char* want;  // type, label and version; empty: nothing
    };
    using enum store::EventType;
    const Case cases[] = {
        {"made inside", kCreated, nullptr, kIn, "ADDED b 5"},
        {"made outside", kCreated, nullptr, kOut, ""},
        {"changed inside", kUpdated, kIn, kIn, "MODIFIED b 5"},
        {"changed outside", kUpdated, kOut, kOut, ""},
        {"came in", kUpdated, kOut, kIn, "ADDED b 5"},
        {"left, with its last content and the version of now", kUpdated, kIn, kOut, "DELETED b 9"},
        {"gone from inside", kDeleted, kIn, nullptr, "DELETED b 9"},
        {"gone from outside", kDeleted, kOut, nullptr, ""},
    };
    for (const char* selector : {"labelSelector=a%3Db", "fieldSelector=spec.nodeName%3Dx",
                                 "labelSelector=a&fieldSelector=spec.nodeName!%3Dz"}) {
        const ListQuery list = selecting(selector);
        for (const Case& one : cases) {
            SCOPED_TRACE(std::string(selector) + ": " + one.name);
            const store::Event event{one.type, "/core/pods/ns/p", 9, one.now ? stored<Pod>(one.now) : nullptr,
                                     one.before ? stored<Pod>(one.before) : nullptr};
            static constexpr const char* kNames[] = {"ADDED", "MODIFIED", "DELETED"};
            const auto visible = visible_event(event, kPods, list);
            const std::string got = !visible ? ""
                                             : std::string(kNames[static_cast<int>(visible->type)]) + " " +
                                                   visible->object->metadata().labels.find("a")->str() + " " +
                                                   visible->object->metadata().resource_version.str();
            EXPECT_EQ(got, one.want);
        }
    }
}

TEST(VisibleEvent, ShowsEverythingWithoutASelector) {
    const ListQuery all = selecting("");
    const store::ObjectPtr before = stored<Pod>(kIn);
    const store::ObjectPtr now = stored<Pod>(kOut);
    const auto created = visible_event({store::EventType::kCreated, "k", 6, now, nullptr}, kPods, all);
    EXPECT_EQ(created->type, WatchType::kAdded);
    EXPECT_EQ(created->object, now) << "not a copy";
    const auto updated = visible_event({store::EventType::kUpdated, "k", 6, now, before}, kPods, all);
    EXPECT_EQ(updated->type, WatchType::kModified);
    EXPECT_EQ(updated->object, now);
    const auto deleted = visible_event({store::EventType::kDeleted, "k", 9, nullptr, before}, kPods, all);
    EXPECT_EQ(deleted->type, WatchType::kDeleted);
    EXPECT_EQ(deleted->object->metadata().resource_version, "9");
    EXPECT_EQ(static_cast<const KindObject&>(*before).metadata().resource_version, "5") << "what is stored stays";
}

TEST(VisibleEvent, ShowsEventsInTheFormThatIsWatched) {
    const api::KindInfo& form = api::kind_info<api::events::Event>();
    const store::Event event{store::EventType::kCreated, "k", 6,
                             stored<api::core::Event>("{metadata: {name: e}, message: hello, type: Normal}"), nullptr};
    const auto seen = visible_event(event, form, selecting("fieldSelector=type%3DNormal", form));
    ASSERT_TRUE(seen);
    EXPECT_EQ(&seen->object->kind(), &form);
    EXPECT_FALSE(visible_event(event, form, selecting("fieldSelector=type%3DWarning", form)));
}

TypedObject<ConfigMap> config_map() {
    return TypedObject<ConfigMap>(
        api::from_yaml<ConfigMap>("{metadata: {name: a, resourceVersion: '5'}, data: {k: v}}").value());
}

Presentation json() { return {}; }
Presentation protobuf() { return {AnswerForm{Encoding::kProtobuf}}; }

constexpr const char* kMapJson =
    R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"5"},"data":{"k":"v"}})";

TEST(EncodeEvent, IsALineOfJson) {
    struct Case {
        WatchType type;
        const char* name;
    };
    for (const Case& one : {Case{WatchType::kAdded, "ADDED"}, Case{WatchType::kModified, "MODIFIED"},
                            Case{WatchType::kDeleted, "DELETED"}})
        EXPECT_EQ(encode_event(one.type, config_map(), json(), true),
                  std::string("{\"type\":\"") + one.name + "\",\"object\":" + kMapJson + "}\n");
}

TEST(EncodeEvent, ShowsMetadataAloneToWhoWantsNoMore) {
    Presentation as;
    as.form.form = Form::kPartialMetadata;
    EXPECT_EQ(encode_event(WatchType::kAdded, config_map(), as, true),
              R"({"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
              R"("metadata":{"name":"a","resourceVersion":"5"}}})"
              "\n");
}

TEST(EncodeEvent, NamesATablesColumnsOnlyOnce) {
    Presentation as;
    as.form.form = Form::kTable;
    const std::string first = encode_event(WatchType::kAdded, config_map(), as, true);
    EXPECT_THAT(first, HasSubstr(R"("kind":"Table")"));
    EXPECT_THAT(first, HasSubstr(R"("name":"Name")"));
    EXPECT_THAT(encode_event(WatchType::kAdded, config_map(), as, false), testing::Not(HasSubstr(R"("name":"Name")")));
}

// What the four bytes of length at the front announce; the frame must have exactly that.
std::string_view frame_of(std::string_view bytes) {
    CHECK(bytes.size() >= 4);
    std::size_t size = 0;
    for (int i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
    EXPECT_EQ(size, bytes.size() - 4);
    return bytes.substr(4);
}
std::string watch_message(std::string_view type, std::string_view object) {
    std::string raw;
    api::append_field(1, object, raw);
    std::string message;
    api::append_field(1, type, message);
    api::append_field(2, raw, message);
    return message;
}

TEST(EncodeEvent, IsAFrameOfProtobuf) {
    const TypedObject<ConfigMap> map = config_map();
    std::string envelope;
    api::append_envelope(map.kind(), map.data(), envelope);
    const std::string bytes = encode_event(WatchType::kModified, map, protobuf(), true);
    EXPECT_EQ(frame_of(bytes), watch_message("MODIFIED", envelope));
    // A long one needs more than one byte of its length.
    TypedObject<ConfigMap> large = config_map();
    large.value.data.set("large", std::string(70'000, 'x'));
    (void)frame_of(encode_event(WatchType::kModified, large, protobuf(), true));
}

TEST(EncodeBookmark, HasNothingButItsVersion) {
    EXPECT_EQ(
        encode_bookmark(api::kind_info<ConfigMap>(), 12, false, json(), true),
        R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"12"}}})"
        "\n");
    EXPECT_EQ(encode_bookmark(api::kind_info<ConfigMap>(), 12, true, json(), true),
              R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"12",)"
              R"("annotations":{"k8s.io/initial-events-end":"true"}}}})"
              "\n");
    ConfigMap empty;
    empty.metadata.resource_version = "12";
    std::string envelope;
    api::append_envelope(api::kind_info<ConfigMap>(), &empty, envelope);
    const std::string bytes = encode_bookmark(api::kind_info<ConfigMap>(), 12, false, protobuf(), true);
    EXPECT_EQ(frame_of(bytes), watch_message("BOOKMARK", envelope));
}

TEST(EncodeBookmark, IsThereForKindsThatAreNeverStored) {
    const api::KindInfo& kind = *KindRegistry::declared()->find_served("apps", "v1", "replicasets")->kind;
    EXPECT_EQ(
        encode_bookmark(kind, 12, false, json(), true),
        R"({"type":"BOOKMARK","object":{"kind":"ReplicaSet","apiVersion":"apps/v1","metadata":{"resourceVersion":"12"}}})"
        "\n");
}

TEST(EncodeErrorEvent, CarriesAStatus) {
    const Error error{Code::kExpired, "too old"};
    EXPECT_EQ(encode_error_event(error, json()),
              R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
              R"("message":"too old","reason":"Expired","code":410}})"
              "\n");
    Presentation table;
    table.form.form = Form::kTable;
    EXPECT_EQ(encode_error_event(error, table), encode_error_event(error, json())) << "errors are no tables";
    EXPECT_THAT(std::string(frame_of(encode_error_event(error, protobuf()))), HasSubstr("too old"));
}

TEST(EncodedEvents, EncodesForManyAtOnce) {
    const auto budget = std::make_shared<os::ByteBudget>();
    EncodedEvents encoded(*budget);
    const store::Event event{store::EventType::kUpdated, "k", 6, stored<Pod>(kIn), stored<Pod>(kOut)};
    const ListQuery all = selecting("");
    const VisibleEvent visible = *visible_event(event, kPods, all);
    const os::SharedBytes first = encoded.encode(event, visible, json());
    EXPECT_EQ(encoded.encode(event, visible, json()), first) << "the same bytes, not a copy";
    EXPECT_EQ(*first, encode_event(visible.type, *visible.object, json(), false));
}

TEST(EncodedEvents, KeepsWhatDiffersApart) {
    const auto budget = std::make_shared<os::ByteBudget>();
    EncodedEvents encoded(*budget);
    const store::Event event{store::EventType::kUpdated, "k", 6, stored<Pod>(kIn), stored<Pod>(kOut)};
    const VisibleEvent modified = *visible_event(event, kPods, selecting(""));
    const VisibleEvent added = *visible_event(event, kPods, selecting("labelSelector=a%3Db"));
    ASSERT_EQ(added.type, WatchType::kAdded);
    Presentation partial;
    partial.form.form = Form::kPartialMetadata;
    Presentation beta = partial;
    beta.form.beta = true;
    struct Case {
        const VisibleEvent& visible;
        Presentation as;
    };
    const Case cases[] = {
        {modified, json()}, {added, json()}, {modified, protobuf()}, {modified, partial}, {modified, beta}};
    for (int round = 0; round < 2; ++round)
        for (const Case& one : cases)
            EXPECT_EQ(*encoded.encode(event, one.visible, one.as),
                      encode_event(one.visible.type, *one.visible.object, one.as, false));
    // Another revision that falls into the same slot.
    store::Event later = event;
    later.revision += 512;
    later.object = stored<Pod>(kOut);
    const VisibleEvent then = *visible_event(later, kPods, selecting(""));
    EXPECT_THAT(*encoded.encode(later, then, json()), HasSubstr(R"("a":"c")"));
    EXPECT_THAT(*encoded.encode(event, modified, json()), HasSubstr(R"("a":"b")"));
}

TEST(EncodedEvents, KeepsTheTwoFormsOfAnEventApart) {
    const auto budget = std::make_shared<os::ByteBudget>();
    EncodedEvents encoded(*budget);
    const api::KindInfo& core = api::kind_info<api::core::Event>();
    const api::KindInfo& form = api::kind_info<api::events::Event>();
    const store::Event event{store::EventType::kCreated, "k", 6,
                             stored<api::core::Event>("{metadata: {name: e}, message: hello}"), nullptr};
    EXPECT_THAT(*encoded.encode(event, *visible_event(event, core, selecting("", core)), json()),
                HasSubstr(R"("message":"hello")"));
    EXPECT_THAT(*encoded.encode(event, *visible_event(event, form, selecting("", form)), json()),
                HasSubstr(R"("note":"hello")"));
}

TEST(EncodedEventsSize, LargeEventsAreNotKeptForLong) {
    const auto budget = std::make_shared<os::ByteBudget>();
    EncodedEvents encoded(*budget);
    for (store::Revision revision = 1; revision <= 100; ++revision) {
        api::core::ConfigMap map;
        map.metadata.name = "a";
        map.data.set("k", std::string(500'000, 'x'));
        const auto object = std::make_shared<TypedObject<api::core::ConfigMap>>(std::move(map));
        store::Event event;
        event.revision = revision;
        event.object = object;
        (void)encoded.encode(event, {WatchType::kModified, object}, {});
        ASSERT_LE(budget->used(), 9'000'000u) << revision;
    }
}

}  // namespace watch_event_test
}  // namespace muster::server
