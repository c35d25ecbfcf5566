#include "client/remote/remote_link.h"

namespace muster::client {

Result<std::shared_ptr<RemoteLink>> RemoteLink::make(os::RealLoop& loop, const ServerAccess& access,
                                                     TransportSettings settings) {
    std::shared_ptr<RemoteLink> link(new RemoteLink(loop));
    TRY_ASSIGN(link->transport_, Transport::make(loop, link->network_, link->worker_, access, std::move(settings)));
    return link;
}

}  // namespace muster::client
