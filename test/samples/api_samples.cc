// Prints objects of every declared kind that Kubernetes has a protobuf form for, filled at random: one line each with
// the object as JSON and as the bytes of its protobuf message, in base64. conformance/go decodes both with Kubernetes'
// own generated types and compares.
#include <iostream>
#include <string>

#include "api/codec/base64.h"
#include "api/codec/encode.h"
#include "api/kinds/kind_list.h"
#include "api/testing/filler.h"

namespace muster::api {
namespace {

template <class K>
void print_sample(std::uint64_t seed) {
    const KindInfo& kind = kind_info<K>();
    if (!kind.type().package.starts_with("io.k8s.")) return;
    K object{};
    Filler(seed).fill(kind.type(), &object);
    std::string line = R"({"apiVersion":")" + kind.api_version() + R"(","kind":")" + kind.kind + R"(","object":)";
    append_json(kind.type(), &object, line, &kind);
    std::string protobuf;
    append_protobuf(kind.type(), &object, protobuf);
    line += R"(,"protobuf":")";
    append_base64(protobuf, line);
    std::cout << line << "\"}\n";
}

}  // namespace
}  // namespace muster::api

int main() {
    using namespace muster::api;  // NOLINT(google-build-using-namespace): all of this program is about it
    for (std::uint64_t seed = 1; seed <= 10; ++seed) for_each_kind([&]<class K>() { print_sample<K>(seed); });
    return 0;
}
