//! A port and what is known of it, as scripts and people are told.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::link::{Found, NotFound};

/// How far it is known who is at a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PortState {
    /// A board of the hall is there.
    Used,
    /// A board answers there that the hall does not use.
    Unused,
    /// It is being asked, or will be at once.
    #[default]
    Asking,
    /// No board answers; it is asked again now and then.
    NoBoard,
    /// It is left alone: what is there may be anybody's.
    NotAsked,
}

/// A port at which a board may be, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PortStatus {
    /// As it stands in a configuration.
    #[schema(example = "serial:/dev/serial/by-path/pci-0000:00:14.0-usb-0:1:1.0")]
    pub port: String,
    /// The device behind that name, if it is another one.
    #[schema(example = "/dev/ttyACM0")]
    pub device: Option<String>,
    /// Vendor and product, if it is a USB device.
    #[schema(example = "045b:8111")]
    pub usb_id: Option<String>,
    /// How far it is known who is there.
    pub state: PortState,
    /// The board of the hall that is there.
    #[schema(example = "12")]
    pub board: Option<String>,
    /// Did a board answer?
    pub answers: bool,
    /// What it speaks.
    #[schema(example = "dgt")]
    pub protocol: Option<String>,
    /// The number that it tells.
    #[schema(example = "21334")]
    pub serial: Option<String>,
    /// The longer number of newer boards.
    pub long_serial: Option<String>,
    /// Its firmware.
    #[schema(example = "1.8")]
    pub version: Option<String>,
    /// The firmware of its clock.
    pub clock_version: Option<String>,
    /// Why it is not used.
    pub reason: Option<String>,
    /// What to do about that.
    pub advice: Option<String>,
}

impl PortStatus {
    /// A board answered there.
    pub fn found(&mut self, found: &Found) {
        let identity = found.identity.clone();
        self.answers = true;
        self.state = PortState::Unused;
        self.protocol = Some(found.protocol.to_owned());
        self.serial = identity.serial;
        self.long_serial = identity.long_serial;
        self.version = identity.version;
        self.clock_version = identity.clock_version;
    }

    /// None did.
    pub fn not_found(&mut self, error: &NotFound) {
        self.state = PortState::NoBoard;
        self.explain(&error.to_string());
    }

    /// It is left alone, for this reason.
    pub fn not_asked(&mut self) {
        self.state = PortState::NotAsked;
        let chip =
            self.usb_id.as_deref().map_or_else(|| "no USB device".to_owned(), |id| format!("USB {id}"));
        self.reason = Some(format!("{chip}: such a port may be anybody's, so it is not asked"));
        self.advice = Some(format!("if a board is there, set ports = [\"{}\"] in [discovery]", self.port));
    }

    /// Our errors say which port, then what is wrong, and after a semicolon what to do.
    fn explain(&mut self, error: &str) {
        let path = self.port.trim_start_matches("serial:");
        let error = error.strip_prefix(&self.port).or_else(|| error.strip_prefix(path)).unwrap_or(error);
        let error = error.trim_start_matches(": ");
        let (reason, advice) =
            error.split_once("; ").map_or((error, None), |(reason, advice)| (reason, Some(advice)));
        self.reason = Some(reason.to_owned());
        self.advice = advice.map(str::to_owned);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::LinkError;

    #[test]
    fn an_error_is_a_reason_and_an_advice() {
        let mut status = PortStatus { port: "serial:/dev/ttyACM0".to_owned(), ..PortStatus::default() };
        status.not_found(&LinkError::NotPermitted { port: "/dev/ttyACM0".to_owned() }.into());
        assert_eq!(status.reason.as_deref(), Some("not permitted"));
        assert!(
            status.advice.as_ref().is_some_and(|advice| advice.contains("usermod -aG dialout")),
            "{status:?}"
        );
        status.not_found(&NotFound::Silent { port: status.port.clone(), asked: "dgt".to_owned() });
        assert_eq!(status.reason.as_deref(), Some("open, but nobody answers (asked as dgt)"));
    }
}
