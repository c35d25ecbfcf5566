// Reads and writes of stored objects under the rules of the API, shared by the HTTP verbs and the in-process client. A
// write is admitted, prepared, validated and stored in one step on the loop, so nothing comes between its read and its
// write. It is visible inside the process at once. An answer to a client outside the process must wait until the
// revision that was written or read is durable.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/meta/meta.h"
#include "api/rules/kind_rules.h"
#include "base/prng.h"
#include "os/loop/loop.h"
#include "server/kind_object/kind_object.h"
#include "server/objects/admission.h"
#include "server/objects/place.h"
#include "server/objects/update_steps.h"
#include "store/store.h"

namespace muster::server {

struct WriteOptions {
    const User* user = nullptr;
    bool dry_run = false;
    std::vector<std::string>* warnings = nullptr;
    AuditAnnotations* audit = nullptr;
    bool from_inside = false;  // a part of this process asks, and not a client
};

struct Outcome {
    KindObjectPtr object;          // as it is now, or as it was when it went
    store::Revision revision = 0;  // of the write; 0 when there was none
    bool gone = false;             // the write was the object's last
};

class Objects {
public:
    // All must outlive it. `seed` makes UIDs and generated names; `kinds` is what clients are told of kinds.
    Objects(os::Loop& loop, store::Store& store, AdmissionChain chain, api::RuleContext rules, std::uint64_t seed,
            std::shared_ptr<const Kinds> kinds = std::make_shared<const Kinds>());

    // kNotFound; kCorrupt for an object that cannot be read.
    Result<KindObjectPtr> get(const Place& place) const;

    // The draft is of the place's kind, and its only holder hands it over.
    Result<Outcome> create(const Place& place, std::shared_ptr<KindObject> draft, const WriteOptions& options);

    // Makes the new object from the present one.
    using Edit = std::function<Result<std::shared_ptr<KindObject>>(const KindObjectPtr& before)>;
    Result<Outcome> update(const Place& place, Part part, const Edit& edit, SentUid sent_uid,
                           const WriteOptions& options);

    // An object that cannot be read is removed only when the options say so, and then whatever its finalizers are.
    Result<Outcome> remove(const Place& place, const api::meta::DeleteOptions& asked, const WriteOptions& options);

    // Changes a stored object past the rules: for subresources that have their own. The edit has what it needs checked.
    Result<Outcome> rewrite(const Place& place, const Edit& edit, bool dry_run);

    os::Loop& loop() const { return loop_; }
    store::Store& store() const { return store_; }
    Instant now() const { return loop_.now(); }
    const Kinds& kinds() const { return *kinds_; }

private:
    // As the store gives it: it may be unreadable.
    Result<KindObjectPtr> find(const Place& place) const;
    Result<Outcome> create_once(const Place& place, std::shared_ptr<KindObject>& draft, const WriteOptions& options);
    Result<Outcome> update_view(const Place& place, Part part, const Edit& edit, SentUid sent_uid,
                                const WriteOptions& options);
    Result<Outcome> remove_unreadable(const Place& place, const KindObjectPtr& before,
                                      const api::meta::DeleteOptions& asked, const WriteOptions& options);
    Result<Outcome> mark_deleted(const Place& place, const KindObjectPtr& before, const api::meta::DeleteOptions& asked,
                                 const WriteOptions& options);
    Result<Outcome> put(const Place& place, std::shared_ptr<KindObject> draft, const KindObjectPtr& before,
                        bool dry_run);
    Result<Outcome> take_away(const Place& place, KindObjectPtr last);
    Result<> admit_delete(const Place& place, const KindObject& before, const WriteOptions& options) const;
    Result<> admit(const std::vector<AdmissionStep>& steps, AdmissionRequest& request) const;
    void tell_written(const store::Object* before, const store::Object* after) const noexcept;
    std::string random_suffix();

    os::Loop& loop_;
    store::Store& store_;
    AdmissionChain chain_;
    api::RuleContext rules_;
    Prng random_;
    const std::shared_ptr<const Kinds> kinds_;
};

}  // namespace muster::server
