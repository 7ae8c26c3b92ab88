//! What is refused when it is recorded, and how it is said.

use stiction_recording::{
    Body, Contact, Deformable, DeformableKind, Frame, Geometry, Header, Mesh, Pose, Recording,
    Visual, Writer,
};

fn header_with(geometry: Geometry, pose: Pose) -> Header {
    Header {
        bodies: vec![Body {
            name: "cup".into(),
            mass: 1.0,
            visuals: vec![Visual::new(geometry, pose)],
            ..Body::default()
        }],
        ..Header::default()
    }
}

fn refusal(header: &Header) -> String {
    Writer::new(Vec::new(), header).unwrap_err().to_string()
}

#[test]
fn unusable_headers_are_named() {
    let ball = Geometry::Sphere { radius: 1.0 };
    let mut unnamed = header_with(ball, Pose::IDENTITY);
    unnamed.bodies[0].mass = f64::INFINITY;
    let mut colored = header_with(ball, Pose::IDENTITY);
    colored.bodies[0].visuals[0].color[1] = 2.0;
    let tilted = Pose {
        rotation: [1.0, 1.0, 0.0, 0.0],
        ..Pose::IDENTITY
    };
    let torn = Mesh {
        vertices: vec![[0.0; 3]; 2],
        triangles: vec![[0, 1, 2]],
    };
    let thin = Deformable {
        name: "wire".into(),
        kind: DeformableKind::Rod {
            radius: 0.0,
            links: Vec::new(),
        },
        nodes: 4,
    };
    let cases = [
        (
            header_with(Geometry::Sphere { radius: -1.0 }, Pose::IDENTITY),
            "body 0 \"cup\", visual 0: radius = [-1.0]: must be positive and finite",
        ),
        (
            header_with(Geometry::Mesh { mesh: 3 }, Pose::IDENTITY),
            "body 0 \"cup\", visual 0: mesh = 3: no such mesh in the header",
        ),
        (
            header_with(ball, tilted),
            "body 0 \"cup\", visual 0: rotation = [1.0, 1.0, 0.0, 0.0]: must be a unit quaternion",
        ),
        (
            unnamed,
            "body 0 \"cup\": mass = inf: must be finite and not negative",
        ),
        (
            colored,
            "body 0 \"cup\", visual 0: color = [0.62, 2.0, 0.7, 1.0]: must lie in 0 to 1",
        ),
        (
            Header {
                time_step: f64::NAN,
                ..Header::default()
            },
            "header: time_step = [NaN]: must be positive and finite",
        ),
        (
            Header {
                meshes: vec![torn],
                ..Header::default()
            },
            "mesh 0: triangles = [0, 1, 2]: no such vertex",
        ),
        (
            Header {
                deformables: vec![thin],
                ..Header::default()
            },
            "deformable 0 \"wire\": radius = [0.0]: must be positive and finite",
        ),
    ];
    for (header, message) in cases {
        assert_eq!(refusal(&header), message);
    }
}

#[test]
fn frames_that_do_not_fit_are_refused_and_leave_the_recording_sound() {
    let header = header_with(Geometry::Plane, Pose::IDENTITY);
    let good = Frame::resting(&header);
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    writer.write_frame(&good).unwrap();

    let too_many = Frame {
        poses: vec![Pose::IDENTITY; 2],
        ..good.clone()
    };
    let error = writer.write_frame(&too_many).unwrap_err().to_string();
    assert_eq!(error, "frame 1: poses has 2 entries, expected 1");

    let more_joints = Frame {
        joints: vec![0.0],
        ..good.clone()
    };
    let error = writer.write_frame(&more_joints).unwrap_err().to_string();
    assert_eq!(error, "frame 1: joints has 1 entries, expected 0");

    let stranger = Frame {
        contacts: vec![Contact {
            bodies: [0, 1],
            ..Contact::default()
        }],
        ..good.clone()
    };
    let error = writer.write_frame(&stranger).unwrap_err().to_string();
    assert_eq!(
        error,
        "frame 1: contact 0, bodies = [0, 1]: no such body or deformable in the header"
    );

    writer.write_frame(&good).unwrap();
    let bytes = writer.finish().unwrap();
    let loaded = Recording::from_reader(bytes.as_slice()).unwrap();
    assert!(!loaded.truncated());
    assert_eq!(loaded.recording.frames.len(), 2);
}

/// Takes 400 bytes, then fails as a full disk does.
struct FullDisk(Vec<u8>);

impl std::io::Write for FullDisk {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        match 400_usize.saturating_sub(self.0.len()).min(data.len()) {
            0 => Err(std::io::Error::other("disk full")),
            room => {
                self.0.extend_from_slice(&data[..room]);
                Ok(room)
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_keeps_what_was_written() {
    let mut disk = FullDisk(Vec::new());
    let mut writer = Writer::new(&mut disk, &Header::default()).unwrap();
    let mut written = 0;
    while writer.write_frame(&Frame::default()).is_ok() {
        written += 1;
    }
    let error = writer.write_frame(&Frame::default()).unwrap_err();
    assert!(error.to_string().contains("an earlier frame"), "{error}");
    assert!(written > 0);
    let loaded = Recording::from_reader(disk.0.as_slice()).unwrap();
    assert!(loaded.truncated());
    assert_eq!(loaded.recording.frames.len(), written);
}
