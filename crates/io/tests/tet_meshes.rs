//! Meshes of tetrahedra: Gmsh's files read, VTU and OBJ files written, surfaces filled.

use proptest::prelude::*;
use stiction_deformable::mesh::{TriangleSurface, fill_surface, solid_box};
use stiction_deformable::nalgebra::Vector3;
use stiction_deformable::{MeshError, TetMesh};
use stiction_io::mesh::{self, MeshData, parse_gltf, parse_obj, parse_stl};
use stiction_io::tet_mesh::{
    Field, Series, TetMeshFile, Values, parse_gmsh, parse_gmsh_surface, write_obj, write_vtu,
};

/// Two tetrahedra in two groups, a held triangle, and a line with a node of its own.
const VERSION_2: &str = "$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
2 7 \"held\"
3 1 \"soft rubber\"
3 2 \"steel\"
$EndPhysicalNames
$Nodes
6
10 0 0 0
11 1 0 0
12 0 1 0
13 0 0 1
99 5 5 5
14 1 1 1
$EndNodes
$Elements
4
1 1 2 0 1 10 99
2 2 2 7 1 10 12 11
3 4 2 1 1 10 11 12 13
4 4 2 2 2 11 12 13 14
$EndElements
";

const VERSION_4: &str = "$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
3
2 7 \"held\"
3 1 \"soft rubber\"
3 2 \"steel\"
$EndPhysicalNames
$Entities
1 1 1 2
1 5 5 5 0
1 0 0 0 5 5 5 0 0
1 0 0 0 1 1 0 1 7 0
1 0 0 0 1 1 1 1 1 1 1
2 0 0 0 1 1 1 1 2 1 -1
$EndEntities
$Nodes
2 6 10 99
0 1 0 1
99
5 5 5
3 1 0 5
10
11
12
13
14
0 0 0
1 0 0
0 1 0
0 0 1
1 1 1
$EndNodes
$Elements
4 4 1 4
1 1 1 1
1 10 99
2 1 2 1
2 10 12 11
3 1 4 1
3 10 11 12 13
3 2 4 1
4 11 12 13 14
$EndElements
$Periodic
0
$EndPeriodic
";

/// The same in version 4.0.
fn version_40() -> String {
    VERSION_4
        .replace("4.1 0 8", "4.0 0 8")
        .replace("\n1 5 5 5 0\n", "\n1 5 5 5 5 5 5 0\n")
        .replace(
            "2 6 10 99\n0 1 0 1\n99\n5 5 5\n3 1 0 5\n",
            "2 6\n1 0 0 1\n99 5 5 5\n1 3 0 5\n",
        )
        .replace(
            "10\n11\n12\n13\n14\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n",
            "10 0 0 0\n11 1 0 0\n12 0 1 0\n13 0 0 1\n14 1 1 1\n",
        )
        .replace("4 4 1 4\n1 1 1 1\n", "4 4\n1 1 1 1\n")
        .replace(
            "2 1 2 1\n2 10 12 11\n3 1 4 1\n",
            "1 2 2 1\n2 10 12 11\n1 3 4 1\n",
        )
        .replace("3 2 4 1\n4 11", "2 3 4 1\n4 11")
}

/// The same bytes as Gmsh writes them.
fn version_2_binary() -> Vec<u8> {
    let mut bytes = b"$MeshFormat\n2.2 1 8\n".to_vec();
    bytes.extend(1i32.to_le_bytes());
    bytes.extend(b"\n$EndMeshFormat\n");
    let names =
        &VERSION_2[VERSION_2.find("$PhysicalNames").unwrap()..VERSION_2.find("$Nodes").unwrap()];
    bytes.extend(names.as_bytes());
    bytes.extend(b"$Nodes\n6\n");
    for (tag, place) in [
        (10, [0., 0., 0.]),
        (11, [1., 0., 0.]),
        (12, [0., 1., 0.]),
        (13, [0., 0., 1.]),
        (99, [5., 5., 5.]),
        (14, [1., 1., 1.]),
    ] {
        bytes.extend(i32::to_le_bytes(tag));
        place
            .iter()
            .for_each(|value: &f64| bytes.extend(value.to_le_bytes()));
    }
    bytes.extend(b"\n$EndNodes\n$Elements\n4\n");
    let blocks: [&[i32]; 3] = [
        &[1, 1, 2, 1, 0, 1, 10, 99],
        &[2, 1, 2, 2, 7, 1, 10, 12, 11],
        &[4, 2, 2, 3, 1, 1, 10, 11, 12, 13, 4, 2, 2, 11, 12, 13, 14],
    ];
    blocks
        .concat()
        .iter()
        .for_each(|value| bytes.extend(value.to_le_bytes()));
    bytes.extend(b"\n$EndElements\n");
    bytes
}

fn version_4_binary() -> Vec<u8> {
    let mut bytes = b"$MeshFormat\n4.1 1 8\n".to_vec();
    bytes.extend(1i32.to_le_bytes());
    bytes.extend(b"\n$EndMeshFormat\n");
    let names =
        &VERSION_4[VERSION_4.find("$PhysicalNames").unwrap()..VERSION_4.find("$Entities").unwrap()];
    bytes.extend(names.as_bytes());
    let int = |bytes: &mut Vec<u8>, values: &[i32]| {
        values.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    };
    let size = |bytes: &mut Vec<u8>, values: &[u64]| {
        values.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    };
    let float = |bytes: &mut Vec<u8>, values: &[f64]| {
        values.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    };
    bytes.extend(b"$Entities\n");
    size(&mut bytes, &[0, 0, 1, 2]);
    for (tag, group) in [(1, 7), (1, 1), (2, 2)] {
        int(&mut bytes, &[tag]);
        float(&mut bytes, &[0.0; 6]);
        size(&mut bytes, &[1]);
        int(&mut bytes, &[group]);
        size(&mut bytes, &[0]);
    }
    bytes.extend(b"\n$EndEntities\n$Nodes\n");
    size(&mut bytes, &[1, 5, 10, 14]);
    int(&mut bytes, &[3, 1, 0]);
    size(&mut bytes, &[5, 10, 11, 12, 13, 14]);
    float(
        &mut bytes,
        &[0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 1., 1., 1.],
    );
    bytes.extend(b"\n$EndNodes\n$Elements\n");
    size(&mut bytes, &[3, 3, 2, 4]);
    for (entity, element) in [
        ([2, 1, 2], &[2u64, 10, 12, 11][..]),
        ([3, 1, 4], &[3, 10, 11, 12, 13]),
        ([3, 2, 4], &[4, 11, 12, 13, 14]),
    ] {
        int(&mut bytes, &entity);
        size(&mut bytes, &[1]);
        size(&mut bytes, element);
    }
    bytes.extend(b"\n$EndElements\n");
    bytes
}

fn tet_mesh(file: &TetMeshFile) -> Result<TetMesh, MeshError> {
    let nodes = file.nodes.iter().map(|node| node.coords).collect();
    TetMesh::new(nodes, file.tets.clone())
}

#[test]
fn all_versions_say_the_same() {
    let file = parse_gmsh(VERSION_2.as_bytes(), "t.msh").unwrap();
    assert_eq!(file.tets, [[0, 1, 2, 3], [1, 2, 3, 4]]);
    assert_eq!(file.nodes.len(), 5);
    assert_eq!(file.tags, [3, 4]);
    let names: Vec<_> = file
        .groups
        .iter()
        .map(|group| group.name.as_str())
        .collect();
    assert_eq!(names, ["soft rubber", "steel"]);
    assert_eq!(file.groups[1].tets, [1]);
    assert_eq!(file.surfaces.len(), 1);
    assert_eq!(file.surfaces[0].name, "held");
    assert_eq!(file.surfaces[0].triangles, [[0, 2, 1]]);
    for other in [
        VERSION_4.as_bytes().to_vec(),
        version_40().into_bytes(),
        version_2_binary(),
        version_4_binary(),
    ] {
        assert_eq!(parse_gmsh(&other, "t.msh").as_ref(), Ok(&file));
    }
    assert!(tet_mesh(&file).is_ok());
}

#[test]
fn mistakes_are_named_by_line_and_element() {
    let refused = |from: &str, to: &str, expected: &str| {
        let text = VERSION_2.replacen(from, to, 1);
        assert_ne!(text, VERSION_2);
        let message = parse_gmsh(text.as_bytes(), "t.msh")
            .unwrap_err()
            .to_string();
        assert!(message.contains(expected), "{message}");
    };
    refused("2.2 0", "1.0 0", "t.msh:2: version \"1.0\" is not read");
    refused(
        "11 1 0 0",
        "11 1 nan 0",
        "t.msh:13: a coordinate of a node is NaN",
    );
    refused(
        "11 1 0 0",
        "11 1 x 0",
        "t.msh:13: \"x\" is not a coordinate",
    );
    refused("11 1 0 0", "10 1 0 0", "t.msh:13: node 10 is there twice");
    refused(
        "3 4 2 1 1 10 11 12 13",
        "3 4 2 1 1 10 12 11 13",
        "t.msh:23: element 3 is turned inside out",
    );
    refused(
        "3 4 2 1 1 10 11 12 13",
        "3 4 2 1 1 10 11 12 12",
        "t.msh:23: element 3 is flat",
    );
    refused(
        "3 4 2 1 1 10 11 12 13",
        "3 4 2 1 1 10 11 12 77",
        "t.msh:23: element 3 has node 77",
    );
    refused(
        "3 4 2 1 1",
        "3 11 2 1 1",
        "t.msh:23: element 3 is a tetrahedron of order 2",
    );
    refused(
        "3 4 2 1 1",
        "3 5 2 1 1",
        "t.msh:23: element 3 is a hexahedron",
    );
    refused(
        "3 4 2 1 1",
        "3 400 2 1 1",
        "t.msh:23: element 3 is of the unknown kind 400",
    );
    refused(
        "1 1 2 0 1 10 99",
        "1 1 2 0 1 10 11",
        "node 99 belongs to no element",
    );
    refused(
        "$Nodes\n6",
        "$Nodes\n99999999999",
        "t.msh:11: the number of nodes is 99999999999",
    );
    refused("$EndElements", "", "the file ends before $EndElements");
    refused("$MeshFormat", "$Nodes", "does not begin with $MeshFormat");
    assert!(parse_gmsh(b"", "t.msh").is_err());
    for bytes in [version_2_binary(), version_4_binary()] {
        for end in 0..bytes.len() - "$EndElements\n".len() {
            assert!(parse_gmsh(&bytes[..end], "t.msh").is_err());
        }
    }
}

fn fill(data: &MeshData, size: f64) -> Result<TetMesh, MeshError> {
    let places: Vec<Vector3<f64>> = data.vertices.iter().map(|vertex| vertex.coords).collect();
    fill_surface(&TriangleSurface::new(&places, &data.faces)?, size)
}

/// The surface of a box in every format that a surface comes in.
#[test]
fn surfaces_of_files_are_filled() {
    let sides = Vector3::new(1.0, 0.5, 0.5);
    let body = solid_box(&sides, [2, 1, 1], Default::default()).unwrap();
    let triangles = body.boundary().triangles;
    let obj = write_obj("box.obj", body.nodes(), &triangles).unwrap();
    let from_obj = parse_obj(obj.as_bytes(), "box.obj").unwrap();

    let mut stl = "solid\n".to_owned();
    for triangle in &triangles {
        stl += "facet normal 0 0 0\nouter loop\n";
        for place in triangle.map(|node| body.nodes()[node as usize]) {
            stl += &format!("vertex {} {} {}\n", place.x, place.y, place.z);
        }
        stl += "endloop\nendfacet\n";
    }
    let from_stl = parse_stl(stl.as_bytes(), "box.stl").unwrap();

    // Corners of each triangle apart, as files with normals have them.
    let mut buffer = Vec::new();
    for value in triangles
        .iter()
        .flatten()
        .flat_map(|&node| body.nodes()[node as usize].iter())
    {
        buffer.extend((*value as f32).to_le_bytes());
    }
    let folder = std::env::temp_dir().join(format!("stiction-tet-meshes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("box.bin"), &buffer).unwrap();
    let gltf = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "buffers":[{{"byteLength":{0},"uri":"box.bin"}}],
        "bufferViews":[{{"buffer":0,"byteLength":{0}}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":{1},"type":"VEC3","min":[-0.5,-0.25,-0.25],"max":[0.5,0.25,0.25]}}]}}"#,
        buffer.len(),
        3 * triangles.len()
    );
    let from_gltf = parse_gltf(gltf.as_bytes(), "box.gltf", &folder).unwrap();

    let mut msh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n".to_owned();
    msh += &format!("{}\n", body.nodes().len());
    for (node, place) in body.nodes().iter().enumerate() {
        msh += &format!("{} {} {} {}\n", node + 1, place.x, place.y, place.z);
    }
    msh += &format!("$EndNodes\n$Elements\n{}\n", triangles.len());
    for (element, [a, b, c]) in triangles.iter().enumerate() {
        msh += &format!("{} 2 2 0 1 {} {} {}\n", element + 1, a + 1, b + 1, c + 1);
    }
    msh += "$EndElements\n";
    std::fs::write(folder.join("box.msh"), &msh).unwrap();
    let from_msh = mesh::read(&folder.join("box.msh")).unwrap();
    assert_eq!(
        from_msh,
        parse_gmsh_surface(msh.as_bytes(), "box.msh").unwrap()
    );
    std::fs::remove_dir_all(&folder).unwrap();

    for data in [from_obj, from_stl, from_gltf, from_msh] {
        let mesh = fill(&data, 0.1).unwrap();
        let lack = 1.0 - mesh.volume() / sides.product();
        assert!((0.0..0.06).contains(&lack), "{lack}");
        let mut open = data.clone();
        open.faces.pop();
        let error = fill(&open, 0.1).unwrap_err().to_string();
        assert!(
            error.contains("the surface is open: the edge of vertices"),
            "{error}"
        );
    }
}

#[test]
fn deformed_meshes_are_written_over_time() {
    let body = solid_box(&Vector3::repeat(1.0), [1; 3], Default::default()).unwrap();
    assert!(Series::new("a/b", body.tets()).is_err());
    let mut series = Series::new("cube", body.tets()).unwrap();
    let mut files = std::collections::BTreeMap::new();
    let surface = body.boundary();
    for step in 0..3 {
        let time = 0.1 * f64::from(step);
        let moved: Vec<_> = body
            .nodes()
            .iter()
            .map(|node| node * (1.0 + time))
            .collect();
        let displacement: Vec<_> = moved.iter().zip(body.nodes()).map(|(a, b)| a - b).collect();
        let stress = vec![[1.0, 2.0, 3.0, 0.25, 0.0, 0.0]; body.tets().len()];
        let node_fields = [Field {
            name: "displacement",
            values: Values::Vectors(&displacement),
        }];
        let volumes = body.volumes();
        let tet_fields = [
            Field {
                name: "stress",
                values: Values::SymmetricTensors(&stress),
            },
            Field {
                name: "volume",
                values: Values::Scalars(&volumes),
            },
        ];
        files.extend([
            series
                .moment(time, &moved, &node_fields, &tet_fields)
                .unwrap(),
            series.surface(&moved, &surface.triangles).unwrap(),
        ]);
    }
    files.extend([series.list()]);
    assert_eq!(files.len(), 7);
    let list = &files["cube.pvd"];
    assert!(
        list.contains("<DataSet timestep=\"0.2\" part=\"0\" file=\"cube_00002.vtu\"/>"),
        "{list}"
    );
    let obj = parse_obj(files["cube_00002.obj"].as_bytes(), "cube_00002.obj").unwrap();
    assert_eq!(obj.faces.len(), surface.triangles.len());

    // Read back by the rules of XML and white space: the same bits.
    let vtu = &files["cube_00001.vtu"];
    let numbers = |name: &str| -> Vec<f64> {
        let start = vtu.find(&format!("Name=\"{name}\"")).unwrap();
        let text = &vtu[start + vtu[start..].find('>').unwrap() + 1..];
        let text = &text[..text.find('<').unwrap()];
        text.split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect()
    };
    let places = numbers("points");
    for (node, place) in body.nodes().iter().zip(places.chunks(3)) {
        assert_eq!((node * 1.1).as_slice(), place);
    }
    assert_eq!(numbers("connectivity").len(), 4 * body.tets().len());
    assert_eq!(
        numbers("offsets").last(),
        Some(&(4.0 * body.tets().len() as f64))
    );
    assert!(numbers("types").iter().all(|&kind| kind == 10.0));
    assert_eq!(numbers("stress").len(), 6 * body.tets().len());
    assert_eq!(numbers("displacement").len(), places.len());
}

#[test]
fn what_cannot_be_written_is_refused() {
    let nodes = [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
    let refused = |values: Values<'_>, name: &str, expected: &str| {
        let fields = [Field { name, values }];
        let error = write_vtu("t.vtu", &nodes, &[[0, 1, 2, 3]], &fields, &[]).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    };
    refused(
        Values::Scalars(&[1.0]),
        "heat",
        "field \"heat\" has 1 values for 4 nodes",
    );
    refused(
        Values::Scalars(&[1.0, 2.0, f64::NAN, 4.0]),
        "heat",
        "not finite at number 2 of the nodes",
    );
    refused(Values::Scalars(&[1.0; 4]), "a<b", "cannot have the name");
    let error = write_vtu("t.vtu", &nodes, &[[0, 1, 2, 4]], &[], &[]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("tetrahedron 0 names node 4 of 4"),
        "{error}"
    );
    assert!(write_obj("t.obj", &nodes, &[[0, 1, 4]]).is_err());
    assert!(write_obj("t.obj", &[Vector3::repeat(f64::NAN); 3], &[[0, 1, 2]]).is_err());
    assert!(Series::<4>::new("../up", &[]).is_err());
}

fn check(bytes: &[u8]) {
    match parse_gmsh(bytes, "random.msh") {
        Ok(file) => {
            let count = file.nodes.len();
            assert!(
                file.tets
                    .iter()
                    .flatten()
                    .all(|&node| (node as usize) < count)
            );
            let grouped: usize = file.groups.iter().map(|group| group.tets.len()).sum();
            assert_eq!(grouped, file.tets.len());
        }
        Err(error) => assert!(error.to_string().starts_with("random.msh:")),
    }
    if let Ok(data) = parse_gmsh_surface(bytes, "random.msh") {
        let count = data.vertices.len();
        let mut corners = data.faces.iter().flatten();
        assert!(corners.all(|&vertex| (vertex as usize) < count));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check(&bytes);
        check(&[b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n".as_slice(), &bytes].concat());
        let start = version_4_binary();
        let from = start.len().min(300);
        check(&[&start[..from], bytes.as_slice()].concat());
    }

    #[test]
    fn spoiled_files_are_read_or_refused(
        which in 0..5usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..5),
    ) {
        let mut bytes = match which {
            0 => VERSION_2.as_bytes().to_vec(),
            1 => VERSION_4.as_bytes().to_vec(),
            2 => version_40().into_bytes(),
            3 => version_2_binary(),
            _ => version_4_binary(),
        };
        for (place, byte, kind) in changes {
            let place = place.index(bytes.len());
            match kind {
                0 => bytes[place] = byte,
                1 => bytes[place] = b"0123456789-. \n$"[byte as usize % 15],
                _ => drop(bytes.remove(place)),
            }
        }
        check(&bytes);
    }
}
