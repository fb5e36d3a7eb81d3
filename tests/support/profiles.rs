//! How the vectors call the canonical forms.

use countersign::Form;

/// The name of a form in the vectors; `none` for a form that they do not have.
pub(crate) fn profile(form: Form) -> &'static str {
    match form {
        Form::A2a10 => "spec-drop",
        Form::A2a10Open => "spec-keep",
        Form::AsReceived => "jcs-raw",
        Form::Sdk1x => "prune-jcs",
        Form::A2a10Filled => "spec-drop-fill",
        Form::SdkPy10 => "prune-pyjson",
        Form::SdkJsTyped => "noscheme-prune-jcs",
        Form::SdkPy03 => "v03model-pyjson",
        Form::SdkPy0322 => "v03model-falsy-pyjson",
        Form::Zeph => "strip0-jcs",
        _ => "none",
    }
}
