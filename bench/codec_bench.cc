// Decoding and encoding a real pod, against Boost.JSON's parse of the same bytes to a tree.
#include <boost/json/parse.hpp>

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "api/kinds/core/pod.h"
#include "bench/measure.h"
#include "bench/pod_sample.h"

int main() {
    using namespace muster;
    using api::core::Pod;
    const auto decoded = api::from_json<Pod>(bench::kPodJson);
    if (!decoded.ok()) {
        std::fprintf(stderr, "%s\n", decoded.error().message.c_str());
        return 1;
    }
    const Pod& pod = *decoded;
    const std::string protobuf = api::to_protobuf(pod);
    std::string out;
    const auto fresh = [&out](auto write) {
        out.clear();
        write();
    };
    std::vector<bench::Contender> contenders = {
        {"Boost.JSON parse to a tree",
         [] {
             (void)boost::json::parse({bench::kPodJson.data(), bench::kPodJson.size()});
         }},
        {"JSON decode",
         [] {
             Pod target;
             (void)api::decode_json(Pod::info(), &target, bench::kPodJson);
         }},
        {"JSON encode", [&] { fresh([&] { api::append_json(Pod::info(), &pod, out, &api::kind_info<Pod>()); }); }},
        {"protobuf decode",
         [&] {
             Pod target;
             (void)api::decode_protobuf(Pod::info(), &target, protobuf);
         }},
        {"protobuf encode", [&] { fresh([&] { api::append_protobuf(Pod::info(), &pod, out); }); }},
        {"copy of the pod", [&] { (void)Pod(pod); }},
    };
    bench::take_turns(contenders, 201, 200);
    std::printf("a pod of %zu bytes of JSON, %zu of protobuf\n", bench::kPodJson.size(), protobuf.size());
    for (const auto& contender : contenders)
        std::printf("%-28s %8.0f ns   %5.2f x Boost.JSON\n", contender.name.c_str(), contender.nanoseconds,
                    contender.nanoseconds / contenders[0].nanoseconds);
}
