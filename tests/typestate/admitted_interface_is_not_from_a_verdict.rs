use countersign::policy::InterfaceVerdict;

fn needs<T: for<'v> From<&'v InterfaceVerdict>>() {}

fn main() {
    let _ = countersign::AdmittedInterface::of;
    needs::<countersign::AdmittedInterface>();
}
