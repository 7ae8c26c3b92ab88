//! Every mistake is answered with its line, its key and what to do.

use stiction_io::scene_file::parse;

/// Parts that don't matter for the mistake at hand.
const FLOOR: &str =
    "[[bodies]]\nname = \"floor\"\nkind = \"fixed\"\nshapes = [{ kind = \"half-space\" }]\n";
const ARM: &str = "[[robots]]\nname = \"arm\"\n\
    links = [{ name = \"rod\", inertia = { mass = 1, diagonal = [1, 1, 1] } }]\n\
    joints = [{ name = \"hinge\", kind = \"revolute\", axis = [0, 1, 0], parent = \"world\", child = \"rod\" }]\n";

/// Checks that `text` is refused at the line that ends in `#!`, with a key and words in the message.
#[track_caller]
fn refused(text: &str, key: &str, words: &[&str]) {
    let expected = text
        .lines()
        .position(|line| line.ends_with("#!"))
        .expect("a marked line")
        + 1;
    let error = parse(text, "bad.toml").expect_err(text);
    let message = error.to_string();
    assert_eq!(
        error.position().map(|place| place.0),
        Some(expected),
        "{message}\n{text}"
    );
    assert_eq!(error.key().unwrap_or("TOML"), key, "{message}");
    for word in words {
        assert!(message.contains(word), "\"{word}\" is not in: {message}");
    }
    assert!(message.starts_with("bad.toml:"), "{message}");
}

/// A free body with one shape and further lines.
fn body(lines: &str) -> String {
    format!("seconds = 1\n[[bodies]]\nname = \"a\"\nkind = \"free\"\n{lines}\n")
}

/// A fixed body with the given shape.
fn shape(lines: &str) -> String {
    format!("seconds = 1\n[[bodies]]\nname = \"a\"\nkind = \"fixed\"\n[[bodies.shapes]]\n{lines}\n")
}

#[test]
fn text_that_is_not_toml() {
    refused("seconds = 1\nname = #!", "TOML", &["not valid TOML"]);
    refused("seconds = 1\n[settings #!\n", "TOML", &["not valid TOML"]);
    refused("seconds = 1\nseconds = 2 #!", "TOML", &["duplicate key"]);
    refused(
        "seconds = 1\n[[bodies]]\nname = \"a\"\nname = \"b\" #!",
        "TOML",
        &["duplicate key"],
    );
}

#[test]
fn unknown_keys_are_refused_with_a_suggestion() {
    refused(
        "seconds = 1\n[setings] #!\n",
        "setings",
        &["not a key known here", "did you mean \"settings\"?"],
    );
    refused(
        "seconds = 1\n[settings]\ntimestep = 0.01 #!",
        "settings.timestep",
        &["did you mean \"time_step\"?"],
    );
    refused(
        &body("mass = 1\ncolour = [1, 0, 0] #!\nshapes = [{ kind = \"sphere\", radius = 1 }]"),
        "bodies[0].colour",
        &["did you mean \"color\"?"],
    );
    refused(
        &shape("kind = \"sphere\"\nradus = 0.1 #!"),
        "bodies[0].shapes[0].radus",
        &["did you mean \"radius\"?"],
    );
    // A key of another kind of shape is not known here either.
    refused(
        &shape("kind = \"sphere\"\nradius = 0.1\nlength = 2 #!"),
        "bodies[0].shapes[0].length",
        &["not a key known here"],
    );
    refused(
        "seconds = 1\n[materials.ice]\nslip = 3 #!",
        "materials.ice.slip",
        &["known here"],
    );
    refused(
        "seconds = 1\nwhatever = 1 #!",
        "whatever",
        &["there are the keys name, seconds, settings"],
    );
}

#[test]
fn wrong_units_are_refused_with_the_expected_one() {
    let sphere = "shapes = [{ kind = \"sphere\", radius = 1 }]";
    refused(
        &body(&format!("mass = \"3 m\" #!\n{sphere}")),
        "bodies[0].mass",
        &["\"3 m\" is not a mass", "in kg", "45 g"],
    );
    refused(
        &body(&format!("density = \"3 kg\" #!\n{sphere}")),
        "bodies[0].density",
        &["not a density", "kg/m^3"],
    );
    refused("seconds = \"3 kg\" #!", "seconds", &["not a time", "in s"]);
    refused("seconds = \"3\" #!", "seconds", &["without a unit"]);
    refused(
        "seconds = \"3 fortnights\" #!",
        "seconds",
        &["not a unit known here"],
    );
    refused(
        "seconds = 1\n[settings]\ngravity = [0, 0, \"-9.81 m/s\"] #!",
        "settings.gravity[2]",
        &["not an acceleration", "m/s^2"],
    );
    refused(
        "seconds = 1\n[materials.ice]\nfriction = \"0.1 m\" #!",
        "materials.ice.friction",
        &["without a unit"],
    );
    let torque = "[[controllers]]\nkind = \"torque\"\nrobot = \"arm\"\njoint = \"hinge\"\ntorque = \"3 N\" #!";
    refused(
        &format!("seconds = 1\n{ARM}{torque}"),
        "controllers[0].torque",
        &["not a torque", "N*m"],
    );
}

#[test]
fn wrong_types_and_missing_keys() {
    refused("seconds = true #!", "seconds", &["is true", "in s"]);
    refused("#!", "seconds", &["is missing"]);
    refused(
        "seconds = 1\nbodies = 3 #!",
        "bodies",
        &["is the number 3", "list"],
    );
    refused(
        "seconds = 1\nbodies = [3] #!",
        "bodies[0]",
        &["give a table"],
    );
    refused(
        "seconds = 1\n[[bodies]] #!\nkind = \"fixed\"",
        "bodies[0].name",
        &["is missing"],
    );
    refused(
        "seconds = 1\n[[bodies]] #!\nname = \"a\"",
        "bodies[0].kind",
        &["is missing"],
    );
    refused(
        &shape("#!").replace("shapes]]\n#!", "shapes]] #!"),
        "bodies[0].shapes[0].kind",
        &["is missing"],
    );
    refused(
        &shape("kind = \"sphere\"").replace("shapes]]", "shapes]] #!"),
        "bodies[0].shapes[0].radius",
        &["is missing"],
    );
    refused(
        &shape("kind = \"spere\" #!\nradius = 1"),
        "bodies[0].shapes[0].kind",
        &["no \"spere\"", "did you mean \"sphere\"?"],
    );
    refused("seconds = 1\nname = \"\" #!", "name", &["is no name"]);
    refused(
        "seconds = 1\n[settings]\nislands = 1 #!",
        "settings.islands",
        &["true or false"],
    );
    refused(
        "seconds = 1\n[settings]\nmax_iterations = -3 #!",
        "settings.max_iterations",
        &["is -3"],
    );
    refused(
        "seconds = 1\n[settings]\nmax_contacts = 0 #!",
        "settings.max_contacts",
        &["is 0"],
    );
    refused(
        "seconds = 1\n[settings]\ngravity = [0, 0] #!",
        "settings.gravity",
        &["2 entries, not 3"],
    );
    refused("seconds = 1979-05-27 #!", "seconds", &["is a date"]);
}

#[test]
fn numbers_out_of_range() {
    refused("seconds = 0 #!", "seconds", &["must be positive, is 0 s"]);
    refused("seconds = nan #!", "seconds", &["not a finite number"]);
    refused("seconds = inf #!", "seconds", &["not a finite number"]);
    refused("seconds = 1e400 #!", "seconds", &["not a finite number"]);
    refused(
        "seconds = 99999999999999999999999 #!",
        "seconds",
        &["not a finite number"],
    );
    refused(
        "seconds = \"1e300 h\" #!",
        "seconds",
        &["not a finite number"],
    );
    refused(
        "seconds = 1\n[settings]\ntheta = 1 #!",
        "settings.theta",
        &["[0, 1)"],
    );
    refused(
        "seconds = 1\n[settings]\ntheta = \"euler\" #!",
        "settings.theta",
        &["implicit-euler"],
    );
    refused(
        "seconds = 1\n[materials.m]\nfriction = -0.3 #!",
        "materials.m.friction",
        &["negative, is -0.3"],
    );
    refused(
        "seconds = 1\n[materials.m]\nrestitution = 1.5 #!",
        "materials.m.restitution",
        &["[0, 1], is 1.5"],
    );
    for radius in ["0", "-0.1", "nan", "-inf", "1e300", "1e-300"] {
        let text = shape(&format!("kind = \"sphere\"\nradius = {radius} #!"));
        refused(&text, "bodies[0].shapes[0].radius", &[]);
    }
    refused(
        &shape("kind = \"box\"\nsize = [0.1, 0, 0.1] #!"),
        "bodies[0].shapes[0].size[1]",
        &["must be positive", "is 0 m"],
    );
    refused(
        &shape("kind = \"box\"\nsize = [1e6, 1, 1e-6] #!"),
        "bodies[0].shapes[0].size",
        &["slender"],
    );
    refused(
        &shape("kind = \"pot\"\nradius = 0.1\nheight = 0.1\nthickness = 0.3 #!"),
        "bodies[0].shapes[0].thickness",
        &["no room inside"],
    );
    refused(
        &shape(
            "kind = \"pot\"\nradius = 0.1\nheight = 0.1\nthickness = 0.01\nresolution = 1e-6 #!",
        ),
        "bodies[0].shapes[0].resolution",
        &["must be at least"],
    );
    refused(
        &shape("kind = \"bolt\"\nsize = 47 #!\nlength = 0.1"),
        "bodies[0].shapes[0].size",
        &["ISO coarse thread", "M48"],
    );
    refused(
        &shape("kind = \"height-field\"\nspacing = 1\nheights = [\n[1, 2],\n[1], #!\n]"),
        "bodies[0].shapes[0].heights[1]",
        &["has 1 numbers, the first row 2"],
    );
    refused(
        &shape("kind = \"mesh\"\nvertices = [[0, 0, 0]]\nfaces = [[0, 0, 1]] #!"),
        "bodies[0].shapes[0].faces[0][2]",
        &["no vertex 1"],
    );
    refused(
        &shape("kind = \"mesh\"\nfile = \"a.ply\" #!"),
        "bodies[0].shapes[0].file",
        &["neither .obj, .stl, .dae, .glb, .gltf nor .msh"],
    );
    let position =
        body("mass = 1\nposition = [1e9, 0, 0] #!\nshapes = [{ kind = \"sphere\", radius = 1 }]");
    refused(&position, "bodies[0].position", &["from the origin"]);
}

#[test]
fn rotations_are_given_once_and_have_a_length() {
    for (rotation, words) in [
        ("{}", "says nothing"),
        ("{ axis = [0, 0, 1] }", "needs one angle"),
        (
            "{ axis = [0, 0, 1], angle = 1, angle_deg = 3 }",
            "needs one angle",
        ),
        (
            "{ axis = [0, 0, 1], angle = 1, z_axis = [0, 0, 1] }",
            "given twice, by axis and z_axis",
        ),
    ] {
        refused(
            &shape(&format!("kind = \"half-space\"\nrotation = {rotation} #!")),
            "bodies[0].shapes[0].rotation",
            &[words],
        );
    }
    refused(
        &shape("kind = \"half-space\"\nrotation = { quaternion_xyzw = [0, 0, 0, 0] } #!"),
        "bodies[0].shapes[0].rotation.quaternion_xyzw",
        &["no length"],
    );
    refused(
        &shape("kind = \"half-space\"\nrotation = { axis = [0, 0, 0], angle = 1 } #!"),
        "bodies[0].shapes[0].rotation.axis",
        &["no length"],
    );
    refused(
        &shape("kind = \"half-space\"\nrotation = { z_axis = [0, 0, 1], angle = 1 } #!"),
        "bodies[0].shapes[0].rotation.angle",
        &["does not go with z_axis"],
    );
}

#[test]
fn masses_that_make_no_sense() {
    let sphere = "shapes = [{ kind = \"sphere\", radius = 1 }]";
    refused(
        &body("").replace("[[bodies]]", "[[bodies]] #!"),
        "bodies[0]",
        &["\"a\" has no mass"],
    );
    refused(&body("mass = 1 #!"), "bodies[0].mass", &["no shape"]);
    refused(
        &body(&format!("mass = -1 #!\n{sphere}")),
        "bodies[0].mass",
        &["positive", "is -1 kg"],
    );
    refused(
        &body(&format!("mass = 1\ndensity = 3 #!\n{sphere}")),
        "bodies[0].density",
        &["given twice"],
    );
    refused(
        &body("inertia = { mass = 1, diagonal = [1, -1, 1] } #!"),
        "bodies[0].inertia.diagonal",
        &["not positive definite", "-1"],
    );
    refused(
        &body("inertia = { mass = 1, full = [1, 2, 0, 1, 0, 1] } #!"),
        "bodies[0].inertia.full",
        &["not positive definite"],
    );
    let fixed = body(&format!("mass = 1\n{sphere}")).replace("\"free\"", "\"fixed\" #!");
    refused(&fixed, "bodies[0].kind", &["a fixed body has no mass"]);
    let moving =
        shape("kind = \"half-space\"").replace("[[bodies.", "velocity = [1, 0, 0] #!\n[[bodies.");
    refused(&moving, "bodies[0].velocity", &["does not move"]);
}

#[test]
fn names_used_twice_and_references_to_nothing() {
    refused(
        &format!(
            "seconds = 1\n{FLOOR}{}",
            FLOOR.replace("\"floor\"", "\"floor\" #!")
        ),
        "bodies[1].name",
        &["\"floor\" exists already"],
    );
    refused(
        &format!("seconds = 1\n{ARM}{}", ARM.replace("\"arm\"", "\"arm\" #!")),
        "robots[1].name",
        &["\"arm\" exists already, as robots[0]"],
    );
    refused(
        &shape("kind = \"half-space\"\nmaterial = \"stel\" #!\n[materials.steel]"),
        "bodies[0].shapes[0].material",
        &["no material \"stel\"", "did you mean \"steel\"?"],
    );
    refused(
        &format!("seconds = 1\nexclude = [[\"floor\", \"flor\"]] #!\n{FLOOR}"),
        "exclude[0]",
        &["no body \"flor\"", "did you mean \"floor\"?"],
    );
    let joint = "[[joints]]\nname = \"j\"\nkind = \"ball\"\n";
    refused(
        &format!("seconds = 1\n{FLOOR}{joint}bodies = [\"floor\", \"arm/rod\"] #!"),
        "joints[0].bodies",
        &["no body \"arm/rod\""],
    );
    refused(
        &format!("seconds = 1\n{FLOOR}{joint}bodies = [\"floor\", \"floor\"] #!"),
        "joints[0].bodies",
        &["one and the same"],
    );
    refused(
        &format!(
            "seconds = 1\n{FLOOR}{ARM}{joint}bodies = [\"floor\", \"arm/rod\"]\nat = [0, 0, 0] #!\nanchor_a = [0, 0, 0]"
        ),
        "joints[0].at",
        &["does not go with anchor_a"],
    );
    refused(
        &shape(
            "kind = \"sphere\"\nradius = 1\nname = \"x\"\n[[bodies.shapes]]\nkind = \"half-space\"\nname = \"x\" #!",
        ),
        "bodies[0].shapes[1].name",
        &["has a shape \"x\" already"],
    );
}

#[test]
fn robots_that_are_no_tree() {
    let arm = |joints: &str| {
        format!(
            "seconds = 1\n[[robots]]\nname = \"arm\"\n\
             links = [{{ name = \"a\", inertia = {{ mass = 1, diagonal = [1, 1, 1] }} }}, {{ name = \"b\" }}]\n{joints}"
        )
    };
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "[[robots.joints]]\nname = \"{name}\"\nkind = \"revolute\"\naxis = [1, 0, 0]\n\
             parent = \"{parent}\"\nchild = \"{child}\"\n"
        )
    };
    let mark = |text: String, at: &str| text.replacen(at, &format!("{at} #!"), 1);
    refused(
        &mark(arm(&joint("j", "world", "c")), "child = \"c\""),
        "robots[0].joints[0].child",
        &["no link \"c\"", "there are the links a, b, world"],
    );
    refused(
        &mark(arm(&joint("j", "world", "world")), "child = \"world\""),
        "robots[0].joints[0].child",
        &["no link \"world\""],
    );
    let loop_text = arm(&(joint("j", "b", "a") + &joint("k", "a", "b")));
    refused(
        &mark(loop_text, "[[robots.joints]]"),
        "robots[0].joints[0]",
        &["cycle"],
    );
    refused(
        &mark(arm(&joint("j", "world", "a")), "name = \"b\" }]"),
        "robots[0].links[1]",
        &["no joint attaches it"],
    );
    let tip = arm(&(joint("j", "world", "a") + &joint("k", "a", "b")));
    refused(
        &mark(tip, "name = \"b\" }]"),
        "robots[0].links[1]",
        &["needs mass"],
    );
    let twice = arm(&(joint("j", "world", "a") + &joint("j", "a", "b")));
    let at = twice.rfind("name = \"j\"").unwrap() + "name = \"j\"".len();
    let twice = format!("{} #!{}", &twice[..at], &twice[at..]);
    refused(
        &twice,
        "robots[0].joints[1].name",
        &["\"j\" exists already"],
    );
    let limits = arm(&(joint("j", "world", "a") + "limits = [1, -1] #!\n"));
    refused(&limits, "robots[0].joints[0].limits", &["exceeds"]);
    let initial = arm(&(joint("j", "world", "a") + "initial = [1, 2] #!\n"));
    refused(&initial, "robots[0].joints[0].initial", &["has 2 entries"]);
    refused(
        "seconds = 1\n[[robots]] #!\nname = \"arm\"",
        "robots[0]",
        &["no links"],
    );
}

#[test]
fn controllers_that_drive_nothing() {
    let with = |lines: &str| format!("seconds = 1\n{FLOOR}{ARM}[[controllers]]\n{lines}\n");
    refused(
        &with("kind = \"pd\"\nrobot = \"arn\" #!\njoint = \"hinge\"\ntarget = 0"),
        "controllers[0].robot",
        &["no robot \"arn\"", "did you mean \"arm\"?"],
    );
    refused(
        &with("kind = \"pd\"\nrobot = \"arm\"\njoint = \"hing\" #!\ntarget = 0"),
        "controllers[0].joint",
        &["no joint \"hing\"", "did you mean \"hinge\"?"],
    );
    refused(
        &with("kind = \"pd\"\nrobot = \"arm\"\njoint = \"hinge\"\nstiffness = -1 #!\ntarget = 0"),
        "controllers[0].stiffness",
        &["must not be negative"],
    );
    refused(
        &with(
            "kind = \"pd\"\nrobot = \"arm\"\njoint = \"hinge\"\ntarget = { times = [0, 0], values = [1, 2] } #!",
        ),
        "controllers[0].target.times[1]",
        &["not later"],
    );
    refused(
        &with(
            "kind = \"pd\"\nrobot = \"arm\"\njoint = \"hinge\"\ntarget = { times = [0], values = [1, 2] } #!",
        ),
        "controllers[0].target.values",
        &["2 values for 1 times"],
    );
    refused(
        &with("kind = \"force\"\nbody = \"floor\" #!\nforce = [1, 0, 0]"),
        "controllers[0].body",
        &["forces don't move"],
    );
    refused(
        &with("kind = \"drive\"\nbody = \"floor\" #!\nvelocity = [1, 0, 0]"),
        "controllers[0].body",
        &["not a driven body"],
    );
    let pd = "kind = \"torque\"\nrobot = \"arm\"\njoint = \"hinge\"\ntorque = 1\n";
    refused(
        &with(&format!("{pd}[[controllers]] #!\n{pd}")),
        "controllers[1]",
        &["drives what controllers[0] drives already"],
    );
}

#[test]
fn solids_that_are_none_are_refused_where_they_stand() {
    refused(
        &shape("kind = \"torus\"\nradius = 0.1\ntube = 0.2 #!"),
        "bodies[0].shapes[0].tube",
        &["leaves no hole"],
    );
    refused(
        &shape("kind = \"revolution\"\noutline = [[0, 0], [0.1, 0]] #!"),
        "bodies[0].shapes[0].outline",
        &["has 2 corners"],
    );
    refused(
        &shape("kind = \"revolution\"\noutline = [[0, 0], [0.1, 0],\n[-0.1, 0.1]] #!"),
        "bodies[0].shapes[0].outline[2]",
        &["other side of the axis"],
    );
    refused(
        &shape("kind = \"distance-file\"\nfile = \"cup.stl\" #!"),
        "bodies[0].shapes[0].file",
        &[".safetensors"],
    );
    refused(
        &shape("kind = \"union\"\nparts = [] #!"),
        "bodies[0].shapes[0].parts",
        &["has no parts"],
    );
    refused(
        &shape("kind = \"union\"\nparts = [{ kind = \"mesh\", file = \"a.stl\" }] #!"),
        "bodies[0].shapes[0].parts[0].kind",
        &["mesh-distance"],
    );
    refused(
        &shape(
            "kind = \"union\"\nparts = [{ kind = \"sphere\", radius = 1, material = \"ice\" }] #!",
        ),
        "bodies[0].shapes[0].parts[0].material",
        &["no key of a part"],
    );
    let mut deep = "{ kind = \"sphere\", radius = 1 }".to_owned();
    for _ in 0..9 {
        deep = format!("{{ kind = \"union\", parts = [{deep}] }}");
    }
    let error = parse(
        &format!("seconds = 1\n[[bodies]]\nname = \"a\"\nkind = \"fixed\"\nshapes = [{deep}]\n"),
        "bad.toml",
    );
    let message = error.unwrap_err().to_string();
    assert!(message.contains("nested more than 8 deep"), "{message}");
}
