// Carries out what decide_ttl plans: watches Jobs, sleeps until one expires, reads it afresh and removes it.
#pragma once

#include "api/kinds/batch.h"
#include "client/client.h"
#include "os/loop.h"
#include "os/task.h"

namespace muster::controllers {

class TtlController {
public:
    // Both must outlive the controller; destroying it stops it.
    TtlController(os::Loop& loop, client::Client& client) : loop_(loop), client_(client), tasks_(loop) {}

    void start() { tasks_.spawn(run()); }

private:
    os::Task<void> run();
    os::Task<Result<void>> follow();
    // Plans for one Job and does it; a Job that is not due is looked at again when it is.
    os::Task<void> consider(client::Ref<api::batch::Job> job);
    os::Task<void> reconsider(client::ObjectName name);

    os::Loop& loop_;
    client::Client& client_;
    os::TaskScope tasks_;
};

}  // namespace muster::controllers
