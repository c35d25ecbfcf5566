// The objects that tokens are bound to, out of the store. On the loop.
#pragma once

#include "server/identity/service_account_tokens.h"
#include "store/store.h"

namespace muster::server {

class StoredBoundObjects final : public BoundObjects {
public:
    // The store must outlive it.
    explicit StoredBoundObjects(const store::Store& store) : store_(store) {}

    std::optional<BoundObject> find(BoundKind kind, std::string_view namespace_, std::string_view name) const override;

private:
    const store::Store& store_;
};

}  // namespace muster::server
