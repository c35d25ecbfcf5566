// What every codec must hold, on small types that show every shape once.
#include <gtest/gtest.h>

#include "api/codec/codec_test_types.h"
#include "api/codec/decode.h"
#include "api/codec/dom.h"
#include "api/codec/encode.h"
#include "api/codec/envelope.h"
#include "api/codec/parts.h"
#include "api/schema/walk.h"
#include "api/text/wire.h"

namespace muster::api::codec_test {
DEFINE_TYPE(Inner)
DEFINE_TYPE(Flat)
DEFINE_TYPE(Thing)
}  // namespace muster::api::codec_test

namespace muster::api {
namespace codec_test {

using codec_test::Inner;
using codec_test::Thing;

constexpr std::string_view kFull =
    R"({"kind":"Thing","apiVersion":"test.example/v1","title":"a \"quoted\" \\ title\nü","on":true,"big":-9223372036854775808,)"
    R"("ratio":0.25,"secret":"AAEC/w==","raw":{"a":[1,2.5,null,true,"x"],"b":{}},"inner":{"name":"i","count":7,"limit":0},)"
    R"("boxed":{"name":""},"items":[{"name":"x"},{"name":"y","limit":3}],"numbers":[1,-2,0],"labels":{"a":"1","b":""},)"
    R"("limits":{"cpu":"500m","memory":"1Gi"},"extra":{"g":["x","y"],"h":[]},"path":"/p","readOnly":false,)"
    R"("created":"2024-02-29T12:00:00Z","ended":"1970-01-01T00:00:00Z","probed":"2024-01-01T00:00:00Z","port":"http","always":["z"]})";

Thing full() { return *from_json<Thing>(kFull); }

TEST(Codec, JsonComesBackAsItWas) { EXPECT_EQ(to_json(full()), kFull); }

TEST(Codec, ProtobufComesBackAsItWas) {
    const Thing thing = full();
    const Thing back = *from_protobuf<Thing>(to_protobuf(thing));
    EXPECT_EQ(diff(back, thing), "");
    EXPECT_EQ(back, thing);
}

TEST(Codec, ATreeComesBackAsItWas) {
    const Thing thing = full();
    Thing back;
    ASSERT_TRUE(decode_dom(Thing::info(), &back, to_dom(Thing::info(), &thing, &kind_info<Thing>()).value()).ok());
    EXPECT_EQ(diff(back, thing), "");
}

TEST(Codec, AnEmptyObjectPrintsOnlyWhatGoAlwaysPrints) {
    EXPECT_EQ(to_json(Thing{}),
              R"({"kind":"Thing","apiVersion":"test.example/v1","inner":{"name":""},"probed":null,"always":null})");
    EXPECT_EQ(to_protobuf(Inner{}), "");
    EXPECT_TRUE(is_zero(Thing::info(), &static_cast<const Thing&>(Thing{})));
}

TEST(Codec, AnExplicitZeroBehindAPointerSurvives) {
    const Inner inner = *from_json<Inner>(R"({"name":"a","limit":0})");
    EXPECT_EQ(inner.limit, 0);
    EXPECT_EQ(to_json(inner), R"({"name":"a","limit":0})");
    EXPECT_EQ(from_protobuf<Inner>(to_protobuf(inner))->limit, 0);
}

TEST(Codec, NullResetsAndAnEmptyListIsNotNull) {
    const Thing thing =
        *from_json<Thing>(R"({"title":null,"boxed":null,"items":null,"inner":null,"limits":null,"always":[]})");
    EXPECT_FALSE(thing.boxed);
    EXPECT_TRUE(thing.items.is_null());
    EXPECT_FALSE(thing.always.is_null());
    EXPECT_NE(to_json(thing).find(R"("always":[])"), std::string::npos);
}

struct Complaint {
    const char* name;
    const char* text;
    std::vector<std::string> want;
};
TEST(Codec, UnknownAndDuplicateFieldsAreReportedWithTheirFullPath) {
    const Complaint cases[] = {
        {"an unknown field at the top", R"({"nope":1})", {R"(unknown field "nope")"}},
        {"an unknown field deep inside, with its list index",
         R"({"items":[{"name":"a"},{"x":{"y":[1]}}]})",
         {R"(unknown field "items[1].x")"}},
        {"a name in the wrong case is unknown", R"({"Title":"a"})", {R"(unknown field "Title")"}},
        {"a duplicate field", R"({"title":"a","title":"b"})", {R"(duplicate field "title")"}},
        {"a duplicate map", R"({"labels":{"k":"1"},"labels":{"k":"2"}})", {R"(duplicate field "labels")"}},
        {"what it is, said twice",
         R"({"kind":"Thing","apiVersion":"test.example/v1","title":"a","kind":"Thing","apiVersion":"test.example/v1"})",
         {R"(duplicate field "kind")", R"(duplicate field "apiVersion")"}},
        {"a duplicate map key", R"({"labels":{"k":"1","k":"2"}})", {R"(duplicate field "labels.k")"}},
        {"a duplicate inside a box", R"({"boxed":{"name":"a","name":"b"}})", {R"(duplicate field "boxed.name")"}},
        {"several at once, in their order",
         R"({"a":1,"inner":{"b":2},"c":{"d":1}})",
         {R"(unknown field "a")", R"(unknown field "inner.b")", R"(unknown field "c")"}},
        {"an inlined struct's fields are known by their own name only",
         R"({"path":"/","flat":{}})",
         {R"(unknown field "flat")"}},
        {"fields of features that are off are known", R"({"later":{"name":"a","nope":[1]},"executable":true})", {}},
        {"nothing to complain of", R"({"apiVersion":"v1","kind":"Thing","title":"x"})", {}},
    };
    for (const Complaint& c : cases) {
        Thing thing;
        const auto decoded = decode_json(Thing::info(), &thing, c.text);
        ASSERT_TRUE(decoded.ok()) << c.name << ": " << decoded.error().message;
        EXPECT_EQ(decoded->complaints, c.want) << c.name;
    }
}

TEST(Codec, FieldsOfFeaturesThatAreOffAreDropped) {
    const Thing thing = *from_json<Thing>(R"({"title":"a","later":{"name":"b"},"executable":true,"on":true})");
    EXPECT_EQ(thing, *from_json<Thing>(R"({"title":"a","on":true})"));
    EXPECT_EQ(*from_yaml<Thing>("later: {name: b}\ntitle: a\n\"on\": true\n"), thing);
    std::string bytes = to_protobuf(thing);
    bytes +=
        "\xa2\x01\x03\x0a\x01"
        "b";  // number 20, an Inner
    EXPECT_EQ(*from_protobuf<Thing>(bytes), thing);
}

TEST(Codec, TheLastOfDuplicatesStands) {
    Thing thing;
    ASSERT_TRUE(decode_json(Thing::info(), &thing, R"({"title":"a","title":"b","labels":{"k":"1","k":"2"}})").ok());
    EXPECT_EQ(thing.title, "b");
    EXPECT_EQ(*thing.labels.find("k"), "2");
}

TEST(Codec, YamlDuplicatesAreReportedToo) {
    Thing thing;
    const auto decoded =
        decode_yaml(Thing::info(), &thing, "title: a\nitems:\n- name: x\n- name: y\n  name: z\ntitle: b\n");
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(decoded->complaints,
              (std::vector<std::string>{R"(duplicate field "items[1].name")", R"(duplicate field "title")"}));
}

struct Refusal {
    const char* name;
    const char* text;
    Code code;
    const char* want;
};
TEST(Codec, WrongTypesAreRefusedNamingTheField) {
    const Refusal cases[] = {
        {"a string for a number", R"({"inner":{"count":"1"}})", Code::kBadRequest,
         "cannot unmarshal string into field inner.count of type int32"},
        {"a fraction for a whole number", R"({"inner":{"count":1.5}})", Code::kBadRequest,
         "cannot unmarshal number 1.5 into field inner.count of type int32"},
        {"a number that does not fit", R"({"inner":{"limit":2147483648}})", Code::kBadRequest,
         "cannot unmarshal number 2147483648 into field inner.limit of type int32"},
        {"a number for a string", R"({"labels":{"k":1}})", Code::kBadRequest,
         "cannot unmarshal number into field labels.k of type string"},
        {"a number for bytes", R"({"secret":48151623})", Code::kBadRequest,
         "cannot unmarshal number into field secret of type base64 string"},
        {"a bool for a string", R"({"items":[{"name":true}]})", Code::kBadRequest,
         "cannot unmarshal bool into field items[0].name of type string"},
        {"an object for a list", R"({"items":{}})", Code::kBadRequest,
         "cannot unmarshal object into field items of type array"},
        {"a list for a struct", R"({"inner":[]})", Code::kBadRequest,
         "cannot unmarshal array into field inner of type Inner"},
        {"bad base64", R"({"secret":"a"})", Code::kBadRequest, "illegal base64 data in field secret"},
        {"a string as the document", R"("x")", Code::kBadRequest,
         "cannot unmarshal string into a Thing: the document must be an object"},
        {"null as the document", "null", Code::kBadRequest,
         "cannot unmarshal null into a Thing: the document must be an object"},
        {"a list as the document", "[{}]", Code::kBadRequest,
         "cannot unmarshal array into a Thing: the document must be an object"},
        {"a number as the document", "5", Code::kBadRequest,
         "cannot unmarshal number into a Thing: the document must be an object"},
        {"an object as kind", R"({"kind":{}})", Code::kBadRequest,
         "cannot unmarshal an object or array into apiVersion or kind, which are strings"},
        {"no text", "", Code::kBadRequest, "json parse error: unexpected end of JSON input"},
        {"cut short", R"({"title":)", Code::kBadRequest, "json parse error: unexpected end of JSON input"},
        {"text after the end", R"({} x)", Code::kBadRequest,
         "json parse error: text after the top-level value at line 1, column 4"},
    };
    for (const Refusal& c : cases) {
        const auto thing = from_json<Thing>(c.text);
        ASSERT_FALSE(thing.ok()) << c.name;
        EXPECT_EQ(thing.error().code, c.code) << c.name;
        EXPECT_EQ(thing.error().message, c.want) << c.name;
    }
}

TEST(Codec, InvalidUtf8BecomesTheReplacementCharacter) {
    const Thing thing = *from_json<Thing>("{\"title\":\"a\xff\",\"labels\":{\"\xc3\":\"\xed\xa0\x80\"}}");
    EXPECT_EQ(thing.title, "a\xef\xbf\xbd");
    EXPECT_EQ(from_json<Thing>("{\"raw\":{\"\xff\":\"\xff\"}}")->raw.json, "{\"\xef\xbf\xbd\":\"\xef\xbf\xbd\"}");
    EXPECT_EQ(*thing.labels.find("\xef\xbf\xbd"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Codec, InvalidUtf8InANumberOrTextIsRepairedToo) {
    const auto thing = from_json<Thing>("{\"port\":\"a\xff\"}");
    ASSERT_TRUE(thing.ok()) << thing.error().message;
    EXPECT_EQ(thing->port->string(), "a\xef\xbf\xbd");
    std::string port;
    append_field(1, std::uint64_t{1}, port);
    append_field(3, std::string_view("\xff\xfe"), port);
    std::string bytes;
    append_field(18, port, bytes);
    const auto sent = from_protobuf<Thing>(bytes);
    ASSERT_TRUE(sent.ok()) << sent.error().message;
    EXPECT_EQ(sent->port->string(), "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Codec, RawJsonInProtobufIsReadBeforeItIsKept) {
    const auto sent = [](std::string_view raw) {
        std::string extension;
        append_field(1, raw, extension);
        std::string bytes;
        append_field(6, extension, bytes);
        return from_protobuf<Thing>(bytes);
    };
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    EXPECT_EQ(sent(R"({"a":[1,2.50,"x"]})")->raw.json, R"({"a":[1,2.50,"x"]})");
    EXPECT_EQ(sent("{ \"a\" :\n[ ] }")->raw.json, R"({"a":[]})") << "a line of a watch is one line";
    EXPECT_EQ(sent("\"\xff\"")->raw.json, "\"\xef\xbf\xbd\"");
    EXPECT_EQ(sent("null")->raw.json, "");
    EXPECT_EQ(sent("")->raw.json, "");
    for (const char* bad : {"{\"this is not json", "{\"a\":", "{} {}", "1e400", "nan", " ", "\xff\xfe"}) {
        const auto refused = sent(bad);
        ASSERT_FALSE(refused.ok()) << bad;
        EXPECT_EQ(refused.error().code, Code::kBadRequest) << bad;
        EXPECT_EQ(refused.error().message, "malformed protobuf: Thing has raw that cannot be read") << bad;
    }
    const auto deep = sent(nested(900));
    ASSERT_TRUE(deep.ok()) << deep.error().message;
    EXPECT_TRUE(to_dom(Thing::info(), &*deep, &kind_info<Thing>()).ok());
    EXPECT_EQ(sent(nested(1000)).error().code, Code::kTooLarge) << "it would be too deep as part of its object";
}

TEST(Codec, ANumberThatCouldNotBeReadAgainIsRefused) {
    for (const char* text : {R"({"raw":1e400})", R"({"raw":{"a":[-1e400]}})", R"({"ratio":1e400})"}) {
        const auto refused = from_json<Thing>(text);
        ASSERT_FALSE(refused.ok()) << text;
        EXPECT_EQ(refused.error().code, Code::kBadRequest) << text;
    }
    const auto infinity = from_protobuf<Thing>(std::string_view("\x21\0\0\0\0\0\0\xf0\x7f", 9));
    EXPECT_FALSE(infinity.ok());
    EXPECT_EQ(from_protobuf<Thing>(std::string_view("\x21\0\0\0\0\0\0\xf0\x3f", 9))->ratio, 1.0);
}

TEST(Codec, WhatCannotBeReadAgainIsAnErrorAndNotTheEnd) {
    Thing thing;
    thing.raw.json = "{\"half";
    const auto tree = to_dom(Thing::info(), &thing, &kind_info<Thing>());
    ASSERT_FALSE(tree.ok());
    EXPECT_EQ(tree.error().code, Code::kInternal);
}

TEST(Codec, ADocumentTenThousandDeepIsRefused) {
    for (const std::string& open : {std::string("{\"x\":"), std::string("["), std::string("{\"raw\":")}) {
        std::string text = "{\"nope\":";
        for (int i = 0; i < 10000; ++i) text += open;
        const auto thing = from_json<Thing>(text);
        ASSERT_FALSE(thing.ok());
        EXPECT_EQ(thing.error().code, Code::kTooLarge) << thing.error().message;
    }
    EXPECT_EQ(from_yaml<Thing>("raw: " + std::string(10000, '[') + std::string(10000, ']')).error().code,
              Code::kTooLarge);
    EXPECT_FALSE(from_yaml<Thing>("raw: " + std::string(10000, '[')).ok());
}

TEST(Codec, YamlThatGrowsByItsAliasesIsStoppedWhateverItGrowsBy) {
    const auto refused = [](const std::string& yaml) {
        std::vector<std::string> duplicates;
        const auto tree = parse_yaml(yaml, {}, duplicates);
        return !tree.ok() && tree.error().code == Code::kTooLarge;
    };
    // A long text that is named many times.
    std::string long_text = "a: &a " + std::string(1u << 20, 'x') + "\nb: [";
    for (int i = 0; i < 100; ++i) long_text += "*a,";
    EXPECT_TRUE(refused(long_text + "]\n"));
    // Anchors around anchors: each keeps a copy of all that is inside.
    std::string nested = "a: ";
    for (int i = 0; i < 500; ++i) nested += "&n" + std::to_string(i) + " [";
    for (int i = 0; i < 10'000; ++i) nested += "x,";
    EXPECT_TRUE(refused(nested + std::string(500, ']') + "\n"));
    EXPECT_FALSE(refused("a: &a " + std::string(1u << 20, 'x') + "\nb: *a\n")) << "a fair use";
}

TEST(Codec, ListsOfMoreThanTheLimitAreRefused) {
    const std::size_t kMany = DecodeLimits().structs_max;
    std::string list = R"({"items":[{})";
    for (std::size_t i = 0; i < kMany; ++i) list += ",{}";
    const auto from_text = from_json<Thing>(list + "]}");
    ASSERT_FALSE(from_text.ok());
    EXPECT_EQ(from_text.error().code, Code::kTooLarge);
    std::string message;
    const char empty_item[] = {static_cast<char>(Thing::info().find("items")->number << 3 | 2), 0};
    for (std::size_t i = 0; i <= kMany; ++i) message.append(empty_item, 2);
    const auto from_bytes = from_protobuf<Thing>(message);
    ASSERT_FALSE(from_bytes.ok());
    EXPECT_EQ(from_bytes.error().code, Code::kTooLarge);
}

TEST(Codec, ListsAndMapsThatTakeTooMuchMemoryAreRefused) {
    Thing thing;
    const DecodeLimits limits{.elements_bytes_max = 1000};
    std::string list = R"({"items":[{})";
    for (int i = 0; i < 100; ++i) list += ",{}";
    EXPECT_EQ(decode_json(Thing::info(), &thing, list + "]}", limits).error().code, Code::kTooLarge);
    std::string map = R"({"labels":{"a":"")";
    for (int i = 0; i < 100; ++i) map += ",\"" + std::to_string(i) + "\":\"\"";
    EXPECT_EQ(decode_json(Thing::info(), &thing, map + "}}", limits).error().code, Code::kTooLarge);
}

TEST(Codec, KeysInTheWorstOrderAreRefusedBeforeTheyTakeLong) {
    std::string sorted = R"({"labels":{)";
    std::string backwards = sorted;
    for (int i = 0; i < 1000; ++i) {
        sorted.append(i ? ",\"" : "\"").append(std::to_string(1000 + i)).append("\":\"\"");
        backwards.append(i ? ",\"" : "\"").append(std::to_string(2000 - i)).append("\":\"\"");
    }
    Thing thing;
    const DecodeLimits limits{.entry_moves_max = 100'000};
    EXPECT_TRUE(decode_json(Thing::info(), &thing, sorted + "}}", limits).ok());
    Thing other;
    const auto refused = decode_json(Thing::info(), &other, backwards + "}}", limits);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kTooLarge);
    Thing labelled;
    for (int i = 0; i < 1000; ++i) labelled.labels.set(std::to_string(1000 + i), "");
    EXPECT_TRUE(decode_protobuf(Thing::info(), &thing, to_protobuf(labelled), limits).ok());
}

TEST(Codec, YamlDuplicatesAreReportedShortly) {
    std::string yaml = "? " + std::string(100'000, 'k') + "\n: {";
    for (int i = 0; i < 1000; ++i) yaml += "a: 1, ";
    std::vector<std::string> duplicates;
    ASSERT_TRUE(parse_yaml(yaml + "}\n", {}, duplicates).ok());
    EXPECT_EQ(duplicates.size(), DecodeLimits().complaints_max);
    EXPECT_LE(duplicates[0].size(), 1000u);
}

TEST(Codec, AYamlAliasBombIsRefused) {
    std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
    for (char c = 'b'; c <= 'k'; ++c) {
        bomb += std::string(1, c) + ": &" + c + " [";
        for (int i = 0; i < 10; ++i) bomb += std::string(i ? "," : "") + "*" + static_cast<char>(c - 1);
        bomb += "]\n";
    }
    const auto thing = from_yaml<Thing>(bomb);
    ASSERT_FALSE(thing.ok());
    EXPECT_EQ(thing.error().code, Code::kTooLarge) << thing.error().message;
}

TEST(Codec, YamlReadsScalarsAsKubectlDoes) {
    struct Case {
        const char* name;
        const char* yaml;
        const char* json;
    } cases[] = {
        {"plain text", "a b", R"("a b")"},
        {"yes is a boolean", "yes", "true"},
        {"y is a boolean", "y", "true"},
        {"off is a boolean", "off", "false"},
        {"quoted yes is text", "\"yes\"", R"("yes")"},
        {"tilde is null", "~", "null"},
        {"octal", "0777", "511"},
        {"hexadecimal", "0x1F", "31"},
        {"underscores", "1_000", "1000"},
        {"a float", "1.5", "1.5E0"},
        {"a version is text", "1.2.3", R"("1.2.3")"},
        {"a date is text", "2024-01-01", R"("2024-01-01")"},
        {"a tagged string", "!!str 12", R"("12")"},
        {"a block scalar", "|\n  a\n  b\n", R"("a\nb\n")"},
        {"a flow map", "{a: 1, b: [2]}", R"({"a":1,"b":[2]})"},
        {"a number as a key becomes text", "{1: a}", R"({"1":"a"})"},
        {"a boolean as a key becomes text", "{on: a}", R"({"true":"a"})"},
    };
    for (const auto& c : cases) {
        std::vector<std::string> duplicates;
        const auto tree = parse_yaml("x: " + std::string(c.yaml), {}, duplicates);
        ASSERT_TRUE(tree.ok()) << c.name << ": " << tree.error().message;
        const auto want = parse_dom(c.json);
        EXPECT_EQ(tree->as_object().at("x"), *want) << c.name;
    }
}

TEST(Codec, YamlAliasesAndMergeKeysAreExpanded) {
    std::vector<std::string> duplicates;
    const auto tree = parse_yaml("base: &b {p: 1, q: 2}\nuse: {<<: *b, q: 3}\ncopy: *b\n", {}, duplicates);
    ASSERT_TRUE(tree.ok()) << tree.error().message;
    EXPECT_EQ(*tree, *parse_dom(R"({"base":{"p":1,"q":2},"use":{"p":1,"q":3},"copy":{"p":1,"q":2}})"));
    EXPECT_TRUE(duplicates.empty());
}

TEST(Codec, ASecondYamlDocumentIsRefused) {
    EXPECT_EQ(from_yaml<Thing>("title: a\n---\ntitle: b\n").error().message,
              "yaml: more than one document where one was expected");
}

TEST(Codec, TheEnvelopeNamesTheKind) {
    const Thing thing = full();
    std::string bytes;
    append_envelope(kind_info<Thing>(), &thing, bytes);
    EXPECT_EQ(bytes.substr(0, 4), std::string_view("k8s\0", 4));
    const auto envelope = open_envelope(bytes);
    ASSERT_TRUE(envelope.ok());
    EXPECT_EQ(envelope->api_version, "test.example/v1");
    EXPECT_EQ(envelope->kind, "Thing");
    EXPECT_EQ(*from_protobuf<Thing>(envelope->raw), thing);
    EXPECT_EQ(open_envelope("{}").error().code, Code::kBadRequest);
}

TEST(Codec, EveryPrefixOfProtobufIsReadOrRefusedButNeverOverrun) {
    const std::string bytes = to_protobuf(full());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::string cut = bytes.substr(0, size);  // its own allocation, so that a sanitizer sees an overrun
        (void)from_protobuf<Thing>(cut);
    }
    EXPECT_FALSE(from_protobuf<Thing>("\x0a\x7f").ok());
    EXPECT_FALSE(from_protobuf<Thing>("\x0b").ok());
}

TEST(Codec, UnknownProtobufFieldsAreSkippedAndPackedNumbersRead) {
    std::string bytes;
    append_field(60, std::string_view("future"), bytes);
    append_field(10, std::string_view("\x01\x02", 2), bytes);
    EXPECT_EQ(from_protobuf<Thing>(bytes)->numbers, (List<std::int32_t>{1, 2}));
}

// Keeps parts in a plain list.
struct MemoryParts final : PartSink, PartLookup {
    std::vector<std::string> bytes;
    std::vector<SharedBlock> blocks;
    int decoded = 0;

    std::uint64_t part(const ValueInfo& info, const void* value) override {
        const SharedBlock block = info.hold(value);
        for (std::size_t i = 0; i < blocks.size(); ++i)
            if (blocks[i].identity() == block.identity()) return i;
        blocks.push_back(block);
        append_part(info, value, bytes.emplace_back());
        return blocks.size() - 1;
    }
    Result<void> adopt(std::uint64_t number, const ValueInfo& info, void* target) override {
        if (number >= bytes.size()) return Error{Code::kCorrupt, "no such part"};
        if (!blocks[number].identity()) {
            ++decoded;
            TRY(decode_part(info, target, bytes[number]));
            blocks[number] = info.hold(target);
        }
        info.adopt(target, blocks[number]);
        return {};
    }
};

TEST(Codec, ASharedFieldIsWrittenOnceAndReadBackAsOneBlock) {
    const Thing first = full();
    Thing second = first;
    second.title = "second";
    MemoryParts parts;
    std::string a;
    std::string b;
    append_protobuf(Thing::info(), &first, a, &parts);
    append_protobuf(Thing::info(), &second, b, &parts);
    ASSERT_EQ(parts.bytes.size(), 1u);

    parts.blocks.assign(1, SharedBlock());
    Thing one;
    Thing two;
    ASSERT_TRUE(decode_record(Thing::info(), &one, a, &parts).ok());
    ASSERT_TRUE(decode_record(Thing::info(), &two, b, &parts).ok());
    EXPECT_EQ(one, first);
    EXPECT_EQ(two, second);
    EXPECT_EQ(one.items.data(), two.items.data());
    EXPECT_EQ(parts.decoded, 1);
    EXPECT_FALSE(decode_record(Thing::info(), &one, a, nullptr).ok());
}

TEST(Codec, ADiffNamesEachPlaceThatDiffers) {
    const Thing left = full();
    Thing right = left;
    right.items.edit()[1].limit = 4;
    right.labels.erase("a");
    right.boxed.reset();
    EXPECT_EQ(diff(left, right),
              "boxed: {\"name\":\"\"} → (none)\n"
              "items[1].limit: 3 → 4\n"
              "labels[a]: \"1\" → (none)\n");
}

}  // namespace codec_test
}  // namespace muster::api
