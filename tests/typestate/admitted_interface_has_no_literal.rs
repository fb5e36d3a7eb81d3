fn pretend(url: countersign::policy::StrictUrl) -> countersign::AdmittedInterface {
    countersign::AdmittedInterface { url }
}

fn main() {}
