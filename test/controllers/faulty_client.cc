#include "controllers/faulty_client.h"

#include "api/kinds/core/event.h"
#include "api/kinds/core/pod.h"

namespace muster::worlds {
namespace {

using client::AnyEvent;
using client::AnyListing;
using client::AnyObject;
using client::AnyWatch;

constexpr Duration kDelaySpan = 3s;

// Says what the watch inside says, but late or never when the plan wants it so.
class FaultyWatch final : public AnyWatch {
public:
    FaultyWatch(os::Loop& loop, FaultPlan& plan, std::unique_ptr<AnyWatch> inner)
        : loop_(loop), plan_(plan), inner_(std::move(inner)), epoch_(plan.watch_epoch) {}

    os::Task<Result<std::vector<AnyEvent>>> next() override {
        auto events = co_await inner_->next();
        while (loop_.uptime() < plan_.hold_until) co_await os::sleep_for(loop_, plan_.hold_until - loop_.uptime());
        if (epoch_ != plan_.watch_epoch) co_return Error{Code::kExpired, "the watch has missed something"};
        co_return events;
    }

private:
    os::Loop& loop_;
    FaultPlan& plan_;
    std::unique_ptr<AnyWatch> inner_;
    const int epoch_;
};

}  // namespace

const char* name_of(FaultKind kind) {
    switch (kind) {
        case FaultKind::kNone: return "nothing";
        case FaultKind::kRefuse: return "refuse";
        case FaultKind::kConflict: return "conflict";
        case FaultKind::kLoseAnswer: return "lose the answer";
        case FaultKind::kDelay: return "delay";
        case FaultKind::kDelayAnswer: return "delay the answer";
        case FaultKind::kDuplicate: return "duplicate";
        case FaultKind::kHoldWatches: return "hold the watches";
        case FaultKind::kExpireWatches: return "expire the watches";
        case FaultKind::kRestart: return "restart the controllers";
        case FaultKind::kCrashLosing: return "crash, losing what is not on disk";
        case FaultKind::kCrashKeeping: return "crash, keeping what is being written";
    }
    return "";
}

FaultKind FaultyClient::take_fault(const char* verb, const api::KindInfo& kind) {
    if (!plan_.count_events && &kind == &api::kind_info<api::core::Event>()) return FaultKind::kNone;
    const std::size_t call = plan_.calls++;
    const auto other = plan_.others.find(call);
    if (other != plan_.others.end()) return other->second;
    if (plan_.kind == FaultKind::kNone || call != plan_.position) return FaultKind::kNone;
    plan_.hit = std::string(verb) + ' ' + kind.kind;
    return plan_.kind;
}

template <class T>
os::Task<Result<T>> FaultyClient::go_wrong(FaultKind fault, Call<T> call) {
    switch (fault) {
        case FaultKind::kRefuse: co_return Error{Code::kUnavailable, "not now"};
        case FaultKind::kConflict: co_return Error{Code::kConflict, "another client was first"};
        case FaultKind::kDelay: co_await os::sleep_for(loop_, kDelaySpan); break;
        case FaultKind::kDuplicate: (void)co_await call(); break;
        case FaultKind::kHoldWatches: plan_.hold_until = loop_.uptime() + kDelaySpan; break;
        case FaultKind::kExpireWatches: ++plan_.watch_epoch; break;
        // Before the answer, which waits for the disk.
        case FaultKind::kCrashLosing:
        case FaultKind::kCrashKeeping: die_(fault); break;
        default: break;
    }
    auto answer = co_await call();
    if (fault == FaultKind::kLoseAnswer) co_return Error{Code::kTimeout, "the answer was lost"};
    if (fault == FaultKind::kDelayAnswer) co_await os::sleep_for(loop_, kDelaySpan);
    if (fault == FaultKind::kRestart) {
        die_(fault);
        for (;;) co_await never_.wait();
    }
    co_return answer;
}

os::Task<Result<AnyObject>> FaultyClient::get_any(const api::KindInfo& kind, client::ObjectName name, View view) {
    const FaultKind fault = take_fault("get", kind);
    if (fault == FaultKind::kNone) return inner_.get_any(kind, std::move(name), view);
    return go_wrong<AnyObject>(fault, [=, this, &kind] { return inner_.get_any(kind, name, view); });
}

os::Task<Result<AnyListing>> FaultyClient::list_any(const api::KindInfo& kind, std::string namespace_, View view) {
    const FaultKind fault = take_fault("list", kind);
    if (fault == FaultKind::kNone) return inner_.list_any(kind, std::move(namespace_), view);
    return go_wrong<AnyListing>(fault, [=, this, &kind] { return inner_.list_any(kind, namespace_, view); });
}

os::Task<Result<std::unique_ptr<AnyWatch>>> FaultyClient::open_watch(Call<std::unique_ptr<AnyWatch>> call,
                                                                     FaultKind fault) {
    CO_TRY_ASSIGN(auto watch, co_await go_wrong(fault, std::move(call)));
    co_return std::unique_ptr<AnyWatch>(std::make_unique<FaultyWatch>(loop_, plan_, std::move(watch)));
}

os::Task<Result<std::unique_ptr<AnyWatch>>> FaultyClient::watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                    std::string resource_version, View view) {
    const FaultKind fault = take_fault("watch", kind);
    return open_watch([=, this, &kind] { return inner_.watch_any(kind, namespace_, resource_version, view); }, fault);
}

os::Task<Result<AnyObject>> FaultyClient::patch_any(const api::KindInfo& kind, client::ObjectName name,
                                                    client::MetadataPatch patch, View view) {
    const FaultKind fault = take_fault("patch", kind);
    if (fault == FaultKind::kNone) return inner_.patch_any(kind, std::move(name), std::move(patch), view);
    return go_wrong<AnyObject>(fault, [=, this, &kind] { return inner_.patch_any(kind, name, patch, view); });
}

os::Task<Result<void>> FaultyClient::remove_any(const api::KindInfo& kind, client::ObjectName name,
                                                client::Removal removal) {
    const FaultKind fault = take_fault("remove", kind);
    if (fault == FaultKind::kNone) return inner_.remove_any(kind, std::move(name), std::move(removal));
    return go_wrong<void>(fault, [=, this, &kind] { return inner_.remove_any(kind, name, removal); });
}

os::Task<Result<void>> FaultyClient::bind(client::ObjectName pod, Text uid, Text node) {
    const FaultKind fault = take_fault("bind", api::kind_info<api::core::Pod>());
    if (fault == FaultKind::kNone) return inner_.bind(std::move(pod), std::move(uid), std::move(node));
    return go_wrong<void>(fault, [=, this] { return inner_.bind(pod, uid, node); });
}

os::Task<Result<AnyObject>> FaultyClient::create_any(const api::KindInfo& kind, AnyObject draft) {
    const FaultKind fault = take_fault("create", kind);
    if (fault == FaultKind::kNone) return inner_.create_any(kind, std::move(draft));
    return go_wrong<AnyObject>(fault, [=, this, &kind] { return inner_.create_any(kind, draft); });
}

os::Task<Result<AnyObject>> FaultyClient::change_any(const api::KindInfo& kind, AnyObject before, AnyObject after,
                                                     client::Part part) {
    const FaultKind fault = take_fault("update", kind);
    if (fault == FaultKind::kNone) return inner_.change_any(kind, std::move(before), std::move(after), part);
    return go_wrong<AnyObject>(fault, [=, this, &kind] { return inner_.change_any(kind, before, after, part); });
}

}  // namespace muster::worlds
