// For tests and fuzzing: a type that has one field of every kind a patch treats in its own way.
#pragma once

#include <cstdint>
#include <optional>

#include "api/schema/declare.h"

namespace muster::api::sample {
namespace {

constexpr const char* kPackage = "sample.v1";

struct SamplePort {
    TYPE(SamplePort, "")
    FIELD(1, Text, name, "")
    FIELD(2, std::optional<std::int32_t>, container_port, "")
    FIELD(3, Text, protocol, "")
};
struct SampleEnv {
    TYPE(SampleEnv, "")
    FIELD(1, Text, name, "")
    FIELD(2, Text, value, "")
};
struct SampleContainer {
    TYPE(SampleContainer, "")
    FIELD(1, Text, name, "")
    FIELD(2, Text, image, "")
    FIELD(3, List<Text>, command, "")
    FIELD(4, List<SampleEnv>, env, "", .patch = Patch::kMerge, .merge_key = "name")
    FIELD(5, List<SamplePort>, ports, "", .patch = Patch::kMerge, .merge_key = "containerPort")
};
struct SampleDirectory {
    TYPE(SampleDirectory, "")
    FIELD(1, Text, medium, "")
};
struct SampleSource {
    TYPE(SampleSource, "")
    FIELD(1, Box<SampleDirectory>, empty_dir, "")
    FIELD(2, Box<SampleDirectory>, host_path, "")
    FIELD(3, List<SampleEnv>, items, "", .patch = Patch::kMerge, .merge_key = "name")
};
struct SampleVolume {
    TYPE(SampleVolume, "")
    FIELD(1, Text, name, "")
    FIELD(2, SampleSource, source, "", .inlined = true)
};
struct SampleStrategy {
    TYPE(SampleStrategy, "")
    FIELD(1, Text, type, "")
    FIELD(2, Text, surge, "")
};
struct SampleMeta {
    TYPE(SampleMeta, "")
    FIELD(1, Text, name, "")
    FIELD(2, Text, uid, "")
    FIELD(3, Text, resource_version, "")
    FIELD(4, Map<Text>, labels, "")
    FIELD(5, List<Text>, finalizers, "", .patch = Patch::kMerge)
};
struct SampleSpec {
    TYPE(SampleSpec, "")
    FIELD(1, List<SampleContainer>, containers, "", .patch = Patch::kMerge, .merge_key = "name")
    FIELD(2, List<SampleVolume>, volumes, "", .patch = Patch::kMergeRetainKeys, .merge_key = "name")
    FIELD(3, List<SampleEnv>, tolerations, "")
    FIELD(4, Box<SampleStrategy>, strategy, "", .patch = Patch::kRetainKeys)
    FIELD(5, RawJson, extension, "")
    FIELD(6, Map<SampleStrategy>, by_name, "")
    FIELD(7, std::optional<std::int32_t>, parallelism, "")
    FIELD(8, List<SampleEnv>, keyless, "", .patch = Patch::kMerge)
};
struct Sample {
    TYPE(Sample, "")
    FIELD(1, SampleMeta, metadata, "")
    FIELD(2, SampleSpec, spec, "")
};
DEFINE_TYPE(SamplePort)
DEFINE_TYPE(SampleEnv)
DEFINE_TYPE(SampleContainer)
DEFINE_TYPE(SampleDirectory)
DEFINE_TYPE(SampleSource)
DEFINE_TYPE(SampleVolume)
DEFINE_TYPE(SampleStrategy)
DEFINE_TYPE(SampleMeta)
DEFINE_TYPE(SampleSpec)
DEFINE_TYPE(Sample)

}  // namespace
}  // namespace muster::api::sample
