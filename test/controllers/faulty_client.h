// A client that injects faults: at one call, or at some of the calls that pass through it. Its users must work
// correctly all the same. Calls that write Event objects do not count unless the plan asks for it, as no controller
// waits for them.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "client/client.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::worlds {

enum class FaultKind {
    kNone,
    kRefuse,         // it does not happen: kUnavailable
    kConflict,       // it does not happen: kConflict
    kLoseAnswer,     // it happens, but the answer is kTimeout
    kDelay,          // it happens later
    kDelayAnswer,    // it happens, and is answered later
    kDuplicate,      // it happens twice; the second answer is the one
    kHoldWatches,    // it happens; what the watches have to say comes later
    kExpireWatches,  // it happens; the watches have missed something
    kRestart,        // it happens; then the controllers die and come back
    kCrashLosing,    // it happens; then the process dies, and what was not on disk yet is lost
    kCrashKeeping,   // the same, but the group that was being written is there
};
inline constexpr FaultKind kAllFaults[] = {FaultKind::kRefuse,      FaultKind::kConflict,      FaultKind::kLoseAnswer,
                                           FaultKind::kDelay,       FaultKind::kDelayAnswer,   FaultKind::kDuplicate,
                                           FaultKind::kHoldWatches, FaultKind::kExpireWatches, FaultKind::kRestart,
                                           FaultKind::kCrashLosing, FaultKind::kCrashKeeping};
const char* name_of(FaultKind kind);

// What goes wrong where, and how far it is. It outlives the client, as crashes take clients with them.
struct FaultPlan {
    FaultKind kind = FaultKind::kNone;
    std::size_t position = 0;                   // of the call, from 0
    std::map<std::size_t, FaultKind> others{};  // by position
    bool count_events = false;

    std::size_t calls = 0;
    std::string hit{};  // the call that was hit: "create pods"
    Duration hold_until{};
    int watch_epoch = 0;
};

class FaultyClient final : public client::Client {
public:
    // All references must outlive the client. `die` has to destroy the users of this client, but not within the call.
    FaultyClient(os::Loop& loop, client::Client& inner, FaultPlan& plan, std::function<void(FaultKind)> die)
        : loop_(loop), inner_(inner), plan_(plan), die_(std::move(die)), never_(loop) {}

    os::Task<Result<client::AnyObject>> get_any(const api::KindInfo& kind, client::ObjectName name, View view) override;
    os::Task<Result<client::AnyListing>> list_any(const api::KindInfo& kind, std::string namespace_,
                                                  View view) override;
    os::Task<Result<std::unique_ptr<client::AnyWatch>>> watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                  std::string resource_version, View view) override;
    os::Task<Result<client::AnyObject>> patch_any(const api::KindInfo& kind, client::ObjectName name,
                                                  client::MetadataPatch patch, View view) override;
    os::Task<Result<void>> remove_any(const api::KindInfo& kind, client::ObjectName name,
                                      client::Removal removal) override;
    os::Task<Result<void>> bind(client::ObjectName pod, Text uid, Text node) override;
    os::Task<Result<client::AnyObject>> create_any(const api::KindInfo& kind, client::AnyObject draft) override;
    os::Task<Result<client::AnyObject>> change_any(const api::KindInfo& kind, client::AnyObject before,
                                                   client::AnyObject after, client::Part part) override;

private:
    template <class T>
    using Call = std::function<os::Task<Result<T>>()>;

    // What is wrong with the call that is made now.
    FaultKind take_fault(const char* verb, const api::KindInfo& kind);
    template <class T>
    os::Task<Result<T>> go_wrong(FaultKind fault, Call<T> call);
    os::Task<Result<std::unique_ptr<client::AnyWatch>>> open_watch(Call<std::unique_ptr<client::AnyWatch>> call,
                                                                   FaultKind fault);

    os::Loop& loop_;
    client::Client& inner_;
    FaultPlan& plan_;
    std::function<void(FaultKind)> die_;
    os::Event never_;
};

}  // namespace muster::worlds
