//! The bodies of the fuzz targets: octets in, a panic when a property does not hold.

pub mod json_reader;
