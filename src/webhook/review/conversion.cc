#include "webhook/review/conversion.h"

#include "api/codec/dom.h"
#include "api/codec/encode.h"
#include "api/kinds/kueue/kueue.h"
#include "api/kinds/kueue/v1beta1_conversion.h"

namespace muster::webhook {
namespace {

using api::conversion::ConversionRequest;
using api::conversion::ConversionResponse;
namespace older = api::kueue::v1beta1;
namespace newer = api::kueue;

constexpr std::size_t kConvertedBytesMax = 8u << 20;

api::DecodeLimits conversion_limits() {
    api::DecodeLimits limits;
    limits.bytes_max = kConvertedBytesMax;
    limits.keep_unknown = true;
    return limits;
}

// Kind and version as a document names them.
struct DocumentKind {
    std::string api_version{};
    std::string kind{};
};
Result<DocumentKind> kind_of(std::string_view text) {
    api::meta::PartialObjectMetadata ignored{};
    api::DecodeLimits limits = conversion_limits();
    limits.keep_unknown = false;
    TRY_ASSIGN(api::Decoded decoded,
               api::decode_json(api::meta::PartialObjectMetadata::info(), &ignored, text, limits));
    return DocumentKind{std::move(decoded.api_version), std::move(decoded.kind)};
}

// Both versions of a kind. Those that differ in their name alone need no conversion.
template <class Older, class Newer>
Result<std::string> convert_between(std::string_view text, bool to_older) {
    const auto converted = [&](const auto& from) {
        using From = std::remove_cvref_t<decltype(from)>;
        if constexpr (std::is_base_of_v<Newer, Older>) {
            if constexpr (std::is_same_v<From, Newer>)
                return Older{from};
            else
                return static_cast<const Newer&>(from);
        } else if constexpr (std::is_same_v<From, Newer>) {
            return newer::from_stored(from);
        } else {
            return newer::to_stored(from);
        }
    };
    const auto convert = [&]<class From>(From object) -> Result<std::string> {
        TRY_ASSIGN([[maybe_unused]] const api::Decoded decoded,
                   api::decode_json(From::info(), &object, text, conversion_limits()));
        auto out = converted(object);
        // What neither version's type knows is in the same place in both.
        out.residue = object.residue;
        out.spec.residue = object.spec.residue;
        if constexpr (requires { out.status; }) out.status.residue = object.status.residue;
        return api::to_json(out);
    };
    return to_older ? convert(Newer{}) : convert(Older{});
}

template <class Older, class Newer>
Result<std::string> rename_version(std::string_view text, bool to_older) {
    const auto rename = [&]<class From, class To>(From object, To) -> Result<std::string> {
        TRY_ASSIGN([[maybe_unused]] const api::Decoded decoded,
                   api::decode_json(From::info(), &object, text, conversion_limits()));
        std::string out;
        api::append_json(From::info(), &object, out, &api::kind_info<To>());
        return out;
    };
    return to_older ? rename(Newer{}, Older{}) : rename(Older{}, Newer{});
}

struct Converter {
    const char* kind;
    Result<std::string> (*convert)(std::string_view text, bool to_older);
};
constexpr Converter kConverters[] = {
    {"AdmissionCheck", convert_between<older::AdmissionCheck, newer::AdmissionCheck>},
    {"ClusterQueue", convert_between<older::ClusterQueue, newer::ClusterQueue>},
    {"Cohort", rename_version<older::Cohort, newer::Cohort>},
    {"LocalQueue", convert_between<older::LocalQueue, newer::LocalQueue>},
    {"ResourceFlavor", rename_version<older::ResourceFlavor, newer::ResourceFlavor>},
    {"Workload", convert_between<older::Workload, newer::Workload>},
    {"WorkloadPriorityClass", rename_version<older::WorkloadPriorityClass, newer::WorkloadPriorityClass>},
};

constexpr std::string_view kOlderVersion = "kueue.x-k8s.io/v1beta1";
constexpr std::string_view kNewerVersion = "kueue.x-k8s.io/v1beta2";

Result<std::string> convert_one(std::string_view text, std::string_view desired) {
    TRY_ASSIGN(const DocumentKind from, kind_of(text));
    const auto is_known = [](std::string_view version) { return version == kOlderVersion || version == kNewerVersion; };
    if (!is_known(from.api_version) || !is_known(desired))
        return Error{Code::kInvalid, from.kind + " of " + from.api_version + " cannot be converted to " +
                                         std::string(desired) + ": v1beta1 and v1beta2 of kueue.x-k8s.io can"};
    if (from.api_version == desired) return std::string(text);
    for (const Converter& converter : kConverters)
        if (from.kind == converter.kind) return converter.convert(text, desired == kOlderVersion);
    return Error{Code::kInvalid, "objects of kind " + from.kind + " are not converted here"};
}

ConversionResponse failed(const ConversionRequest& request, const std::string& message) {
    ConversionResponse response;
    response.uid = request.uid;
    response.result.status = "Failure";
    response.result.message = Text(message);
    return response;
}

}  // namespace

ConversionResponse review_conversion(const ConversionRequest& request) {
    ConversionResponse response;
    response.uid = request.uid;
    for (std::size_t i = 0; i < request.objects.size(); ++i) {
        Result<std::string> converted = convert_one(request.objects[i].json, request.desired_api_version);
        if (!converted.ok()) return failed(request, "objects[" + std::to_string(i) + "]: " + converted.error().message);
        response.converted_objects.edit().push_back({Text(*converted)});
    }
    response.result.status = "Success";
    return response;
}

}  // namespace muster::webhook
