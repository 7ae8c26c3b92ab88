//! Colliders together with their detector.

use nalgebra::Isometry3;
use stiction_collision::{
    BuiltInDetector, ColliderSet, ContactPoint, DetectReport, DetectionSettings, Detector,
    Execution, NarrowSettings, PlacesView, Result,
};

pub(crate) struct Scene {
    pub(crate) colliders: ColliderSet,
    pub(crate) detector: BuiltInDetector,
}

pub(crate) fn settings(execution: Execution, margin: f64) -> DetectionSettings {
    DetectionSettings {
        narrow: NarrowSettings {
            margin,
            ..NarrowSettings::default()
        },
        execution,
    }
}

impl Scene {
    pub(crate) fn new(settings: DetectionSettings) -> Self {
        Self {
            colliders: ColliderSet::new(),
            detector: BuiltInDetector::new(settings).unwrap(),
        }
    }

    /// One thread, and this margin.
    pub(crate) fn serial(margin: f64) -> Self {
        Self::new(settings(Execution::Serial, margin))
    }

    /// Contacts with frames at these poses, at rest.
    pub(crate) fn detect(
        &mut self,
        poses: &[Isometry3<f64>],
        contacts: &mut Vec<ContactPoint>,
    ) -> Result<DetectReport> {
        self.detect_at(&PlacesView::of_frames(poses), contacts)
    }

    pub(crate) fn detect_at(
        &mut self,
        places: &PlacesView<'_>,
        contacts: &mut Vec<ContactPoint>,
    ) -> Result<DetectReport> {
        self.detector.detect(&self.colliders, places, contacts)
    }
}
