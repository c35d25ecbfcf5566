// Fills objects of any declared type with what no validation would let through and a former version may have stored:
// extreme numbers and times, empty and unknown words, names that meet those of other objects.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "api/schema/type_info.h"
#include "base/prng.h"

namespace muster::e2e {

class OddFiller {
public:
    explicit OddFiller(std::uint64_t seed) : random_(seed), density_(10 + random_.below(60)) {}

    // Each field by chance.
    void fill(const api::TypeInfo& type, void* object, int depth = 0) {
        constexpr int kDepthMax = 9;
        if (depth == kDepthMax) return;
        for (const api::FieldInfo& field : type.json_fields) {
            const bool matters = field.options.required || is_followed(field.json);
            if (random_.below(100) < (matters ? 85 : density_))
                fill(*field.value, field, static_cast<char*>(object) + field.offset, depth + 1);
        }
    }
    Prng& random() { return random_; }

private:
    // Without these no controller looks at the rest.
    static bool is_followed(std::string_view name) {
        for (const std::string_view each : {"metadata", "spec", "status", "template", "containers", "conditions"})
            if (name == each) return true;
        return false;
    }

    void fill(const api::ValueInfo& info, const api::FieldInfo& field, void* value, int depth) {
        switch (info.shape) {
            case api::Shape::kBool: *static_cast<bool*>(value) = random_.chance(1, 2); return;
            case api::Shape::kInt32: *static_cast<std::int32_t*>(value) = number<std::int32_t>(); return;
            case api::Shape::kInt64: *static_cast<std::int64_t*>(value) = number<std::int64_t>(); return;
            case api::Shape::kDouble:
                *static_cast<double*>(value) = one_of<double>({0, -1, 1e308, 1e-308, 0.5});
                return;
            case api::Shape::kText: *static_cast<Text*>(value) = text(field); return;
            case api::Shape::kBytes: static_cast<api::Bytes*>(value)->bytes = text(field); return;
            case api::Shape::kRaw:
                static_cast<api::RawJson*>(value)->json = one_of<const char*>({"{}", "null", "[]", "7", "{\"a\":{}}"});
                return;
            case api::Shape::kScalar: return fill_scalar(*info.scalar, value);
            case api::Shape::kStruct: return fill(info.type(), value, depth);
            case api::Shape::kOptional:
            case api::Shape::kBox: return fill(*info.element, field, info.emplace(value), depth);
            case api::Shape::kList:
                info.make_present(value);
                for (std::uint64_t i = random_.below(4); i > 0; --i)
                    fill(*info.element, field, info.append(value), depth);
                return;
            case api::Shape::kMap:
                info.make_present(value);
                for (std::uint64_t i = random_.below(4); i > 0; --i) {
                    bool added = false;
                    fill(*info.element, field, info.insert(value, key(), &added), depth);
                }
                return;
        }
    }

    void fill_scalar(const api::ScalarOps& ops, void* value) {
        using Kind = api::JsonToken::Kind;
        constexpr api::JsonToken kTokens[] = {
            {Kind::kString, "0001-01-01T00:00:00Z"},
            {Kind::kString, "0001-01-02T00:00:00Z"},
            {Kind::kString, "1677-09-21T00:12:44Z"},
            {Kind::kString, "2262-04-11T23:47:16Z"},
            {Kind::kString, "0001-01-01T00:00:00.000001Z"},
            {Kind::kString, "9999-12-31T23:59:59.999999Z"},
            {Kind::kString, "9999-12-31T23:59:59Z"},
            {Kind::kString, "1970-01-01T00:00:00Z"},
            {Kind::kString, "2024-02-29T23:59:60Z"},
            {Kind::kString, "0"},
            {Kind::kString, "-1"},
            {Kind::kString, "9223372036854775807"},
            {Kind::kString, "-9223372036854775808"},
            {Kind::kString, "1n"},
            {Kind::kString, "9E"},
            {Kind::kString, "99999999999999999999E"},
            {Kind::kString, "0.000000001"},
            {Kind::kString, ""},
            {Kind::kString, "100%"},
            {Kind::kString, "-5%"},
            {Kind::kNumber, "2147483647"},
            {Kind::kNumber, "-2147483648"},
            {Kind::kNumber, "0"},
            {Kind::kString, "2562047h47m16s"},
            {Kind::kString, "-2562047h47m16s"},
            {Kind::kString, "1ns"},
            {Kind::kString, "-1s"},
            {Kind::kString, "2024-01-02T03:04:05Z"},
            {Kind::kString, "2024-01-02T03:04:05.000006Z"},
            {Kind::kString, "1"},
            {Kind::kString, "100m"},
        };
        for (int tries = 0; tries < 30; ++tries) {
            std::string error;
            if (ops.from_json(value, kTokens[random_.below(std::size(kTokens))], error)) return;
        }
    }

    template <class T>
    T number() {
        using Limits = std::numeric_limits<T>;
        return one_of<T>({0, 1, 2, 3, -1, -2, 7, 100, 1000, Limits::max(), Limits::min(), Limits::max() - 1});
    }
    // What the field may say, what it may not, and names that lead to others.
    std::string text(const api::FieldInfo& field) {
        if (field.options.one_of && random_.chance(3, 4)) return word_of(field.options.one_of);
        for (const Words& each : kWords)
            if (each.field == field.json && random_.chance(5, 6)) return word_of(each.words);
        if (is_reference(field.json) && random_.chance(2, 3)) return word_of("odd-0|odd-1|odd-2");
        return word_of(kAnyWords);
    }
    static bool is_reference(std::string_view field) {
        return field == "name" || field.ends_with("Name") || field.ends_with("Queue") || field.ends_with("Class");
    }
    std::string key() { return word_of(kKeys); }
    std::string word_of(std::string_view choices) {
        std::string_view chosen;
        std::uint64_t seen = 0;
        while (!choices.empty()) {
            const std::size_t bar = choices.find('|');
            if (random_.below(++seen) == 0) chosen = choices.substr(0, bar);
            choices = bar == std::string_view::npos ? std::string_view() : choices.substr(bar + 1);
        }
        return std::string(chosen);
    }
    template <class T>
    T one_of(std::initializer_list<T> choices) {
        return choices.begin()[random_.below(choices.size())];
    }

    static constexpr std::string_view kNumbers =
        "0|1|2|-1|2147483647|-2147483648|2147483648|9223372036854775807|-9223372036854775808|18446744073709551616|true|"
        "odd-0|odd-1|Job-0|Job-1|a";
    // Of fields that most of the rest depends on, by their names in JSON.
    struct Words {
        std::string_view field;
        std::string_view words;
    };
    static constexpr Words kWords[] = {
        {"nodeName", "|simulated-0|simulated-0|odd-0|gone"},
        {"schedule",
         "* * * * *|0 0 30 2 *|@hourly|x|0 0 29 2 *|@every 1ns|@every 1h|@every 2562047h47m16s|TZ=UTC * * * * *"},
        {"timeZone", "|UTC|Nowhere/Else|Europe/Paris|../x"},
        {"completedIndexes", "|0|0-2147483647|5-1|1,1|x|-1|0,2-4,99999999999|0-2147483646"},
        {"failedIndexes", "|0|0-2147483647|5-1|1,1|x|-1|0,2-4,99999999999|1-2147483646"},
        {"annotations", kNumbers},
        {"labels", kNumbers},
        {"type",
         "Ready|Complete|Failed|Suspended|FailureTarget|SuccessCriteriaMet|QuotaReserved|Admitted|Finished|PodsReady|"
         "Evicted|Preempted|Requeued|DeactivationTarget|DisruptionTarget|PodScheduled|Active|Unknown"},
        {"status", "|True|True|False|Unknown"},
        {"reason",
         "|Preempted|PodsReadyTimeout|AdmissionCheck|Deactivated|WaitForRecovery|ClusterQueueStopped|Pending"},
        {"state", "|Pending|Ready|Retry|Rejected"},
        {"phase", "|Pending|Running|Succeeded|Failed|Active|Terminating"},
        {"kind", "Job|Job|CronJob|Pod|Workload|Node|ClusterQueue|Unknown"},
        {"apiVersion", "|batch/v1|batch/v1|v1|kueue.x-k8s.io/v1beta2|x/y/z"},
        {"finalizers",
         "batch.kubernetes.io/job-tracking|kueue.x-k8s.io/managed|kueue.x-k8s.io/resource-in-use|foregroundDeletion|"
         "orphan|kubernetes|a/b"},
        {"coveredResources", "cpu|memory|example.com/gpu"},
        {"topologyKey", "|kubernetes.io/hostname|a"},
        {"restartPolicy", "|Never|OnFailure|Always"},
        {"completionMode", "Indexed|Indexed|NonIndexed|x"},
    };
    static constexpr std::string_view kAnyWords =
        "a|odd-0|odd-1|odd-2|default|Unknown|Job|batch/v1|v1|Pod|True|False|cpu|memory|Job-0|kueue.x-k8s.io/managed|"
        "batch.kubernetes.io/job-tracking|foregroundDeletion|orphan|/|..|\x01|$(A)$(B)|a/b/c|Normal|Complete|Failed|"
        "Succeeded|Running|18446744073709551616|\xc3\xa9||simulated-0";
    static constexpr std::string_view kKeys =
        "a|cpu|cpu|memory|pods|ephemeral-storage|app|job-name|kueue.x-k8s.io/queue-name|kueue.x-k8s.io/pod-group-name|"
        "kueue.x-k8s.io/pod-group-total-count|kueue.x-k8s.io/pod-group-sets|kueue.x-k8s.io/job-min-parallelism|"
        "kueue.x-k8s.io/max-exec-time-seconds|kueue.x-k8s.io/priority-boost|kueue.x-k8s.io/prebuilt-workload-name|"
        "batch.kubernetes.io/job-completion-index|batch.kubernetes.io/job-index-failure-count|"
        "batch.kubernetes.io/job-index-ignored-failure-count|batch.kubernetes.io/job-tracking|"
        "batch.kubernetes.io/cronjob-scheduled-timestamp|batch.kubernetes.io/controller-uid|"
        "muster.dev/ttl-seconds-after-finished|a/b/c||example.com/gpu|kubernetes.io/hostname";

    Prng random_;
    const std::uint64_t density_;
};

}  // namespace muster::e2e
