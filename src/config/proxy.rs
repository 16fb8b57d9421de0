//! Proxies that are believed when they say from where somebody asks.

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use serde::Deserialize;

/// A proxy, or a network of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Proxy(IpNet);

impl FromStr for Proxy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let net = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        net.map(Self)
            .map_err(|_| format!("\"{text}\" is neither an address nor a network such as 10.0.0.0/8"))
    }
}

impl TryFrom<String> for Proxy {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl Proxy {
    /// Is it one of those?
    #[must_use]
    pub fn is_at(self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_is_said() {
        let error = "proxy.example".parse::<Proxy>().unwrap_err();
        assert_eq!(error, "\"proxy.example\" is neither an address nor a network such as 10.0.0.0/8");
        assert!("10.0.0.0/40".parse::<Proxy>().is_err());
    }
}
