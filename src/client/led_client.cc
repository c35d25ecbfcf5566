#include "client/led_client.h"

#include "base/reached.h"

namespace muster::client {
namespace {

Client::WriteCheck while_leading(const LeaderElection& election) {
    return [&election]() -> Result<> {
        if (election.leads()) return {};
        REACHED("a write is held back because its instance leads no more");
        return Error{Code::kUnavailable, "this instance does not lead"};
    };
}

}  // namespace

LedClient::LedClient(std::unique_ptr<Client> inner, const LeaderElection& election)
    : LedClient(std::move(inner), while_leading(election)) {}

LedClient::LedClient(std::unique_ptr<Client> inner, WriteCheck check)
    : kept_(std::move(inner)), inner_(*kept_), check_(std::move(check)) {
    inner_.check_writes(check_);
}

os::Task<Result<AnyObject>> LedClient::get_any(const api::KindInfo& kind, ObjectName name, View view) {
    return inner_.get_any(kind, std::move(name), view);
}

os::Task<Result<AnyListing>> LedClient::list_any(const api::KindInfo& kind, std::string namespace_, View view) {
    return inner_.list_any(kind, std::move(namespace_), view);
}

os::Task<Result<std::unique_ptr<AnyWatch>>> LedClient::watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                 std::string resource_version, View view) {
    return inner_.watch_any(kind, std::move(namespace_), std::move(resource_version), view);
}

os::Task<Result<AnyObject>> LedClient::patch_any(const api::KindInfo& kind, ObjectName name, MetadataPatch patch,
                                                 View view) {
    CO_TRY(check_leads());
    co_return co_await inner_.patch_any(kind, std::move(name), std::move(patch), view);
}

os::Task<Result<void>> LedClient::remove_any(const api::KindInfo& kind, ObjectName name, Removal removal) {
    CO_TRY(check_leads());
    co_return co_await inner_.remove_any(kind, std::move(name), std::move(removal));
}

os::Task<Result<void>> LedClient::bind(ObjectName pod, Text uid, Text node) {
    CO_TRY(check_leads());
    co_return co_await inner_.bind(std::move(pod), std::move(uid), std::move(node));
}

os::Task<Result<AnyObject>> LedClient::create_any(const api::KindInfo& kind, AnyObject draft) {
    CO_TRY(check_leads());
    co_return co_await inner_.create_any(kind, std::move(draft));
}

os::Task<Result<AnyObject>> LedClient::change_any(const api::KindInfo& kind, AnyObject before, AnyObject after,
                                                  Part part) {
    CO_TRY(check_leads());
    co_return co_await inner_.change_any(kind, std::move(before), std::move(after), part);
}

}  // namespace muster::client
