use countersign::policy::InterfaceVerdict;
use countersign::{ClaimedInterface, SelectedInterface};

fn claimed(interface: &ClaimedInterface<'_>) {
    interface.url();
}

fn selected(interface: &SelectedInterface<'_, '_>) {
    interface.url();
}

fn judged(verdict: &InterfaceVerdict) {
    verdict.url();
}

fn strict(verdict: &InterfaceVerdict) {
    let _ = &verdict.claimed;
}

fn main() {}
