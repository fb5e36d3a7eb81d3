//! The bodies of the fuzz targets: octets in, a panic when a property does not hold.

pub mod card_verify;
pub mod endorsement;
pub mod json_reader;
pub mod jws_header;
pub mod strict_url;
