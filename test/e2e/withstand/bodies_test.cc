// Bodies made to break, to fill or to hold up the server, in each format.
#include "test/e2e/withstand/withstand.h"

namespace muster::e2e {
namespace bodies_test {

constexpr const char* kJson = "application/json";
constexpr const char* kYaml = "application/yaml";
constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr const char* kJobs = "/apis/batch/v1/namespaces/default/jobs";
constexpr std::size_t kBodyMax = 3u << 20;

std::string repeat(std::string_view text, std::size_t times) {
    std::string out;
    out.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
}

std::string varint(std::uint64_t number) {
    std::string out;
    for (; number > 127; number >>= 7) out += static_cast<char>((number & 127) | 128);
    return out + static_cast<char>(number);
}
// A field of protobuf with bytes in it.
std::string field(std::uint32_t number, const std::string& bytes) {
    return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string envelope(const std::string& api_version, const std::string& kind, const std::string& raw) {
    return std::string("k8s\0", 4) + field(1, field(1, api_version) + field(2, kind)) + field(2, raw);
}

struct BadBody {
    const char* what;
    std::string body;
};

class BodiesTest : public WithstandTest {};

TEST_F(BodiesTest, MalformedJsonIsRefused) {
    const BadBody cases[] = {
        {"deep arrays", R"({"metadata":{"name":"a"},"x":)" + repeat("[", 10'000) + repeat("]", 10'000) + "}"},
        {"deep objects", repeat("{\"a\":", 10'000) + "1" + repeat("}", 10'000)},
        {"as deep as it goes", repeat("[", kBodyMax - 1)},
        {"a deep value in a raw field", R"({"metadata":{"name":"a","managedFields":[{"fieldsV1":)" +
                                            repeat("{\"a\":", 10'000) + "1" + repeat("}", 10'000) + "}]}}"},
        {"half", R"({"metadata":{"name":")"},
        {"nothing but a NUL", std::string(1, '\0')},
        {"a NUL in the name", R"({"metadata":{"name":"a\u0000b"}})"},
        {"a raw NUL in the name", std::string(R"({"metadata":{"name":"a)") + '\0' + R"(b"}})"},
        {"not UTF-8 in the name", "{\"metadata\":{\"name\":\"\xff\xfe\"}}"},
        {"half a surrogate in the name", R"({"metadata":{"name":"\ud800"}})"},
        {"a number without end", R"({"metadata":{"name":"a","generation":)" + std::string(1u << 20, '9') + "}}"},
        {"an exponent without end", R"({"metadata":{"name":"a","generation":1e99999999999}})"},
        {"a name without end", R"({"metadata":{"name":")" + std::string(1u << 20, 'a') + "\"}}"},
        {"a name that leaves its place", R"({"metadata":{"name":"../../etc/passwd"}})"},
        {"a name of two dots", R"({"metadata":{"name":".."}})"},
        {"another namespace", R"({"metadata":{"name":"a","namespace":"../kube-system"}})"},
        {"keys backwards",
         [] {
             std::string text = R"({"metadata":{"name":"a"},"data":{)";
             for (int i = 0; i < 250'000; ++i)
                 text.append(i ? ",\"" : "\"").append(std::to_string(999'999 - i)).append("\":\"\"");
             return text + "}}";
         }()},
        {"bad labels without end",
         [] {
             std::string text = R"({"metadata":{"name":"a","labels":{)";
             for (int i = 100'000; i < 300'000; ++i)
                 text.append(i > 100'000 ? ",\"" : "\"").append(std::to_string(i)).append("/\":\"\"");
             return text + "}}}";
         }()},
        {"owners without end", R"({"metadata":{"name":"a","ownerReferences":[{})" + repeat(",{}", 900'000) + "]}}"},
        {"mistakes that each show all the others",
         [] {
             std::string owners;
             for (int i = 0; i < 4'900; ++i)
                 owners +=
                     (i ? "," : "") + (R"({"apiVersion":"v1","kind":"Pod","controller":true,"uid":"u","name":"n)" +
                                       std::to_string(i) + "\"}");
             return R"({"metadata":{"name":"a","ownerReferences":[)" + owners + "]}}";
         }()},
        {"the same key again and again, strictly", "{" + repeat("\"data\":{},", 200'000) + "\"metadata\":7}"},
    };
    for (const BadBody& bad : cases) expect_refused(bad.what, "POST", kMaps, bad.body, kJson);
    const std::string containers = R"({"metadata":{"name":"a"},"spec":{"containers":[{})";
    expect_refused("containers without end", "POST", kPods, containers + repeat(",{}", 900'000) + "]}}", kJson);
    expect_refused("as many containers as are taken", "POST", kPods, containers + repeat(",{}", 4'900) + "]}}", kJson);
    expect_refused("scopes that are none", "POST", "/api/v1/namespaces/default/resourcequotas",
                   R"({"metadata":{"name":"a"},"spec":{"scopes":["x")" + repeat(",\"x\"", 49'000) + "]}}", kJson);
    others_are_served();
}

TEST_F(BodiesTest, YamlThatGrowsOrGoesDeepIsRefused) {
    std::string laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeat(before + ",", 10) + "]\n";
    }
    const BadBody cases[] = {
        {"a bomb of aliases", laughs},
        {"a long text named often", "a: &a " + std::string(1u << 20, 'x') + "\nb: [" + repeat("*a,", 300'000) + "]\n"},
        {"anchors around anchors",
         [] {
             std::string text = "a: ";
             for (int i = 0; i < 900; ++i) text += "&n" + std::to_string(i) + " [";
             return text + repeat("x,", 100'000) + repeat("]", 900) + "\n";
         }()},
        {"merges of merges",
         [] {
             std::string text = "a0: &a0 {k: v}\n";
             for (int i = 1; i < 2000; ++i)
                 text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {<<: [" +
                         repeat("*a" + std::to_string(i - 1) + ",", 100) + "], k" + std::to_string(i) + ": v}\n";
             return text;
         }()},
        {"deep flow lists", repeat("[", 10'000) + repeat("]", 10'000)},
        {"deep flow maps", repeat("{a: ", 10'000) + "1" + repeat("}", 10'000)},
        {"lists in lists on one line", repeat("- ", 1'000'000) + "x\n"},
        {"keys of keys", repeat("? ", 100'000) + "x\n"},
        {"open brackets", repeat("[", kBodyMax - 1)},
        {"open braces", repeat("{", kBodyMax - 1)},
        {"an open quote", "a: \"" + std::string(kBodyMax - 10, 'x')},
        {"an alias of itself", "a: &a [*a]\n"},
        {"an alias of nothing", "a: *nothing\n"},
        {"many documents", repeat("---\n", 500'000)},
        {"colons", repeat(":", 1'000'000)},
        {"tabs", repeat("\t", 1'000'000) + ":"},
        {"commas", "[" + repeat(",", 1'000'000) + "]"},
        {"a tag without end", "!" + std::string(1'000'000, 'x') + " a\n"},
        {"an anchor without end", "&" + std::string(1'000'000, 'x') + " a\n"},
        {"bytes that are no text", repeat("\xff\xfe\x00\x01", 100'000)},
        {"indentation",
         [] {
             std::string text;
             for (int i = 0; i < 2000; ++i) text += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
             return text;
         }()},
        {"duplicates under a long key", "? " + std::string(500'000, 'k') + "\n: {" + repeat("a: 1, ", 100'000) + "}\n"},
    };
    for (const BadBody& bad : cases) expect_refused(bad.what, "POST", kMaps, bad.body, kYaml);
}

TEST_F(BodiesTest, MalformedProtobufIsRefused) {
    const std::string named = field(1, field(1, "a"));
    const BadBody cases[] = {
        {"nothing", "x"},
        {"the mark alone", std::string("k8s\0", 4)},
        {"half an envelope", envelope("v1", "ConfigMap", named).substr(0, 12)},
        {"a length past the end", std::string("k8s\0\x12\xff\xff\xff\xff\x0f", 10)},
        {"a length of 2^64", std::string("k8s\0\x12", 5) + std::string(9, '\xff') + "\x01"},
        {"a number without end", envelope("v1", "ConfigMap", std::string(1000, '\xff'))},
        {"groups in groups", envelope("v1", "ConfigMap", repeat("\x7b", 1'000'000))},
        {"field zero", envelope("v1", "ConfigMap", std::string("\x02\x00", 2))},
        {"another kind", envelope("v1", "Secret", named)},
        {"another content", envelope("v1", "ConfigMap", field(1, repeat("\x0a\x7f", 100'000)))},
        {"entries without end",
         envelope("v1", "ConfigMap", named + repeat(std::string("\x12\x00", 2), 1'400'000) + field(2, "\x0a\x01"))},
    };
    for (const BadBody& bad : cases) expect_refused(bad.what, "POST", kMaps, bad.body, kProtobuf);
    const auto managed = [](const std::string& raw) {
        return envelope("v1", "ConfigMap", field(1, field(1, "a") + field(17, field(7, field(1, raw)))));
    };
    expect_refused("managed fields that are no JSON", "POST", kMaps, managed("{\"this is not json"), kProtobuf);
    expect_refused("managed fields as deep as it goes", "POST", kMaps, managed(repeat("[", 900) + repeat("]", 899)),
                   kProtobuf);
    expect_refused("managed fields that would be too deep in their object", "POST", kMaps,
                   managed(repeat("[", 999) + repeat("]", 999)), kProtobuf);
    const std::string many = repeat(std::string("\x12\x00", 2), 1'400'000);
    expect_refused("containers without end", "POST", kPods, envelope("v1", "Pod", named + field(2, many)), kProtobuf);
}

// Whatever was taken must be printed as JSON ever after, and be read again for a patch.
TEST_F(BodiesTest, WhatWasTakenCanBePatched) {
    constexpr const char* kMerge = "application/merge-patch+json";
    constexpr const char* kTemplates = "/api/v1/namespaces/default/podtemplates";
    const std::string port = field(3, "\xff\xfe");
    const std::string probe = field(10, field(1, field(3, field(1, "\x08\x01" + port))));
    const std::string container = field(2, field(1, "c") + field(2, "i") + probe);
    const std::string body =
        envelope("v1", "PodTemplate", field(1, field(1, "a")) + field(2, field(2, container + field(3, "Always"))));
    ask_status("POST", kTemplates,
               R"({"metadata":{"name":"a"},"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}})");
    ask_status("PUT", std::string(kTemplates) + "/a", body, kProtobuf);
    EXPECT_EQ(ask_status("PATCH", std::string(kTemplates) + "/a", R"({"metadata":{"labels":{"a":"b"}}})", kMerge), 200);
    const std::string managed = R"({"metadata":{"name":"a","managedFields":[{"manager":"m","operation":"Update",)"
                                R"("apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":1e400}}}]}})";
    expect_refused("a number that is none to us", "POST", kMaps, managed, kJson);
    ASSERT_EQ(ask_status("POST", kMaps, R"({"metadata":{"name":"a"}})"), 201);
    expect_refused("the same in a patch", "PATCH", std::string(kMaps) + "/a", managed, kMerge);
    EXPECT_EQ(ask_status("PATCH", std::string(kMaps) + "/a", R"({"data":{"a":"b"}})", kMerge), 200);
    EXPECT_EQ(ask_status("PATCH", std::string(kMaps) + "/a", R"({"data":{"a":"c"}})", kMerge), 200);
}

TEST_F(BodiesTest, MoreThanTheLimitIsRefusedBeforeItHasCome) {
    for (const char* type : {kJson, kYaml, kProtobuf}) {
        SCOPED_TRACE(type);
        RawPeer peer = admin();
        peer.send("POST " + std::string(kMaps) + " HTTP/1.1\r\nHost: x\r\nContent-Type: " + type +
                  "\r\nContent-Length: " + std::to_string(kBodyMax + 1) + "\r\n\r\n{");
        EXPECT_EQ(status_of(peer.read_answer()), 413);
        EXPECT_TRUE(peer.closes_within(std::chrono::seconds(5)));
        RawPeer chunked = admin();
        chunked.send("POST " + std::string(kMaps) + " HTTP/1.1\r\nHost: x\r\nContent-Type: " + type +
                     "\r\nTransfer-Encoding: chunked\r\n\r\n");
        const std::string chunk = "10000\r\n" + std::string(0x10000, ' ') + "\r\n";
        for (int i = 0; i < 64 && chunked.send(chunk); ++i) continue;
        const std::string answer = chunked.read_answer();
        EXPECT_TRUE(answer.empty() || status_of(answer) == 413) << answer.substr(0, 200);
    }
    EXPECT_EQ(
        ask_status("POST", kMaps, R"({"metadata":{"name":"a"},"data":{"a":")" + std::string(2u << 20, 'x') + "\"}}"),
        422)
        << "what fits the server but not its kind";
}

TEST_F(BodiesTest, NumbersThatDoNotFitAreRefused) {
    const char* numbers[] = {"2147483648", "-2147483649", "9223372036854775808", "1e10",
                             "0.5",        "-1",          "18446744073709551616"};
    for (const char* name : {"parallelism", "completions", "backoffLimit"})
        for (const char* number : numbers)
            expect_refused(
                (std::string(name) + " " + number).c_str(), "POST", kJobs,
                std::string(R"({"metadata":{"name":"a"},"spec":{")") + name + "\":" + number +
                    R"(,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})",
                kJson);
    // In protobuf every number of 64 bits can be sent; it is cut to size as Go does, and then checked.
    const std::string container = field(2, field(1, "c") + field(2, "i"));
    const std::string pod_template = field(6, field(2, container + field(3, "Never")));
    for (const std::uint64_t number : {std::uint64_t{1} << 31, ~std::uint64_t{0}, std::uint64_t{0xfffffffe}}) {
        const std::string spec = "\x08" + varint(number) + "\x10" + varint(number) + pod_template;
        expect_refused("protobuf", "POST", kJobs, envelope("batch/v1", "Job", field(1, field(1, "a")) + field(2, spec)),
                       kProtobuf);
    }
    // The largest that fit are only numbers: nothing is made for them in advance.
    EXPECT_EQ(ask_status("POST", kJobs,
                         R"({"metadata":{"name":"a"},"spec":{"parallelism":2147483647,"completions":2147483647,)"
                         R"("template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})"),
              201);
}

TEST_F(BodiesTest, PatchesThatGrowAreRefused) {
    const std::string target = std::string(kMaps) + "/patched";
    ASSERT_EQ(ask_status("POST", kMaps, R"({"metadata":{"name":"patched"},"data":{"a":"b"}})"), 201);
    constexpr const char* kOperations = "application/json-patch+json";
    constexpr const char* kMerge = "application/merge-patch+json";
    constexpr const char* kStrategic = "application/strategic-merge-patch+json";
    const std::string one = R"({"op":"test","path":"/data/a","value":"b"})";
    expect_refused("too many operations", "PATCH", target, "[" + one + repeat("," + one, 10'000) + "]", kOperations);
    EXPECT_EQ(ask_status("PATCH", target, "[" + one + repeat("," + one, 9'999) + "]", kOperations), 200);
    std::string doubling =
        R"([{"op":"add","path":"/metadata/annotations","value":{"x":")" + std::string(1000, 'x') + "\"}}";
    for (int i = 0; i < 60; ++i)
        doubling += R"(,{"op":"copy","from":"/metadata","path":"/metadata/annotations/)" + std::to_string(i) + "\"}";
    expect_refused("copies of copies", "PATCH", target, doubling + "]", kOperations);
    expect_refused(
        "copies of a long text", "PATCH", target,
        R"([{"op":"add","path":"/data/x","value":")" + std::string(500'000, 'x') + "\"}" +
            [] {
                std::string copies;
                for (int i = 0; i < 9'000; ++i)
                    copies += R"(,{"op":"copy","from":"/data/x","path":"/data/y)" + std::to_string(i) + "\"}";
                return copies + "]";
            }(),
        kOperations);
    expect_refused("deep", "PATCH", target, repeat("{\"a\":", 10'000) + "1" + repeat("}", 10'000), kMerge);
    expect_refused("deep too", "PATCH", target, repeat("{\"a\":", 10'000) + "1" + repeat("}", 10'000), kStrategic);
    expect_refused("a path without end", "PATCH", target,
                   R"([{"op":"add","path":")" + repeat("/a", 1'000'000) + R"(","value":1}])", kOperations);
    expect_refused("an index that overflows", "PATCH", target,
                   R"([{"op":"add","path":"/metadata/finalizers/99999999999999999999","value":"x"}])", kOperations);
    // Lists that are merged element by element must not take the square of their length.
    const std::string pod = R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})";
    ASSERT_EQ(ask_status("POST", kPods, pod), 201);
    std::string elements;
    std::string order;
    for (int i = 0; i < 20'000; ++i) {
        elements += (i ? ",{\"name\":\"e" : "{\"name\":\"e") + std::to_string(i) + "\",\"value\":\"v\"}";
        order += (i ? ",{\"name\":\"e" : "{\"name\":\"e") + std::to_string(i) + "\"}";
    }
    expect_refused(
        "a long list to merge", "PATCH", std::string(kPods) + "/p",
        R"({"spec":{"containers":[{"name":"c","env":[)" + elements + R"(],"$setElementOrder/env":[)" + order + "]}]}}",
        kStrategic);
}

}  // namespace bodies_test
}  // namespace muster::e2e
